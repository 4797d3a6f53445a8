/** The right to apply documents. */

import { once } from "node:events";
import { request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { basic, KEYS, startManagement } from "../kit.ts";
import { allow, applied, CREW, document, meanwhile, stateOf } from "./apply-kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));
beforeEach(() => api.authorizer.reset());

describe("the right to an application", () => {
  it("is refused to who may read nothing before the body is sent, so that nothing is built from it", async () => {
    const asked = request(`${api.authorizer.userUrl}/api/v1/auth/apply`, {
      method: "POST",
      headers: {
        authorization: basic(KEYS.plain),
        "content-type": "application/json",
        "content-length": 4 << 20,
      },
    });
    asked.on("error", () => {});
    asked.flushHeaders();
    const [answer] = await once(asked, "response");
    let text = "";
    for await (const piece of answer) text += piece;
    expect([answer.statusCode, text]).toEqual([403, expect.stringContaining("auth:ReadUser")]);
    asked.destroy();
  });

  it("is the right to each change, and what is refused changes nothing", async () => {
    await meanwhile(api, [
      { op: "put_policy", policy: { name: "Some", statement: [allow(["auth:ReadGroup"])] as never } },
      { op: "attach_to_user", username: "plain", policy: "Some" },
    ]);
    const before = await stateOf(api);
    const answer = await applied(api, [CREW], { as: "plain" });
    expect(answer.status).toBe(403);
    expect(answer.json.problems).toContainEqual({
      pointer: "/documents/0/users/0",
      message: expect.stringContaining("auth:ReadUser"),
    });
    expect(await stateOf(api)).toEqual(before);
  });

  it("is refused by the first names, whatever else is wrong, and says how many more there are", async () => {
    await meanwhile(api, [
      { op: "put_policy", policy: { name: "Some", statement: [allow(["auth:ReadGroup"])] as never } },
      { op: "attach_to_user", username: "plain", policy: "Some" },
    ]);
    const users = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ username: `u${n}`, none: 1 }));
    const few = await applied(api, [{ format: 9, users: users(3) }], { as: "plain" });
    expect([few.status, few.json.message]).toEqual([403, expect.stringContaining("(and 2 more)")]);
    const many = await applied(api, [{ users: users(60) }, { users: users(5_000) }], { as: "plain" });
    expect([many.status, many.json.problems.length]).toEqual([403, 100]);
    // Who may read those has the form checked.
    const readable = await applied(api, [{ groups: [{ name: "g", none: 1 }] }], { as: "plain" });
    expect(readable.status).toBe(400);
  });

  it("is refused without asking on where more is refused than an answer has", async () => {
    await meanwhile(api, [
      {
        op: "put_policy",
        policy: {
          name: "Some",
          statement: [
            allow(["auth:ReadUser"]),
            allow(["auth:ReadGroup"], "arn:svc:auth:::group/seen-*"),
          ] as never,
        },
      },
      { op: "attach_to_user", username: "plain", policy: "Some" },
    ]);
    const users = Array.from({ length: 500 }, (_, n) => ({ username: `u${n}`, groups: [`hidden-${n}`] }));
    const answer = await applied(api, [document({ users })], { as: "plain" });
    expect([answer.status, answer.json.message]).toEqual([
      403,
      expect.stringContaining("(and at least 100 more)"),
    ]);
    expect(answer.json.problems.length).toBe(100);
  });

  it("is asked about every change at once", async () => {
    await meanwhile(api, [
      {
        op: "put_policy",
        policy: {
          name: "Sees",
          statement: [allow(["auth:Read*"]), allow(["auth:CreateGroup", "fs:Read*"])] as never,
        },
      },
      { op: "attach_to_user", username: "plain", policy: "Sees" },
    ]);
    const plan = await applied(api, [CREW], { as: "plain", dry_run: true });
    expect(plan.status).toBe(200);
    expect(plan.json.counts).toMatchObject({ add: 5 });
    const refused = [
      { pointer: "/documents/0/policies/0", message: /^add policy Own: .*auth:CreatePolicy/ },
      { pointer: "/documents/0/users/0", message: /^add user ann: .*auth:CreateUser/ },
      { pointer: "/documents/0/groups/0/policies/0", message: /auth:AttachPolicy/ },
      { pointer: "/documents/0/users/0/groups/0", message: /auth:AddGroupMember/ },
    ].map(({ pointer, message }) => ({ pointer, message: expect.stringMatching(message) }));
    expect(plan.json.refused).toEqual(refused);
    const before = await stateOf(api);
    const answer = await applied(api, [CREW], { as: "plain" });
    expect([answer.status, answer.json.problems]).toEqual([403, refused]);
    expect(await stateOf(api)).toEqual(before);
  });

  it("is needed to say what is there already: who reads only takes nothing over, and gives nothing up", async () => {
    await applied(api, [CREW], { manager: "first" });
    await meanwhile(api, [
      {
        op: "put_policy",
        policy: { name: "Sees", statement: [allow(["auth:Read*", "auth:CreateUser"])] as never },
      },
      {
        op: "put_policy",
        policy: { name: "Not", statement: [{ ...allow(["fs:*"]), effect: "deny" }] as never },
      },
      { op: "attach_to_user", username: "plain", policy: "Sees" },
      { op: "attach_to_user", username: "plain", policy: "Not" },
    ]);
    const before = await stateOf(api);
    const given = { username: "plain", policies: ["Not"] };
    const attempts: readonly [string, object, string, RegExp][] = [
      ["first", document({}), "", /applied before/],
      ["second", document({ groups: [{ name: "Admins" }] }), "/documents/0/groups/0", /auth:CreateGroup/],
      ["second", document({ users: [given] }), "/documents/0/users/0", /auth:AttachPolicy/],
    ];
    for (const [manager, said, pointer, message] of attempts) {
      const problems = [{ pointer, message: expect.stringMatching(message) }];
      const plan = await applied(api, [said], { manager, as: "plain", dry_run: true });
      expect(plan.json.refused).toContainEqual(problems[0]);
      const answer = await applied(api, [said], { manager, as: "plain" });
      expect([answer.status, answer.json.problems]).toEqual([403, expect.arrayContaining(problems)]);
      expect(await stateOf(api)).toEqual(before);
    }
    // Nothing of what is said again needs a right but to read it.
    const same = document({ users: [{ username: "plain" }] });
    expect((await applied(api, [same], { manager: "second" })).status).toBe(200);
    expect((await applied(api, [same], { manager: "second", as: "plain" })).status).toBe(200);
  });

  it("ends with the key: an application whose author is gone changes nothing", async () => {
    await meanwhile(api, [{ op: "delete_user", username: "manager" }]);
    expect((await applied(api, [CREW], { as: "manager" })).status).toBe(401);
  });
});
