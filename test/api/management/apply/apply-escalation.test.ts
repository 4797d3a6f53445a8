/** Applications that give more than their caller holds. */

import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { startManagement } from "../kit.ts";
import { allow, applied, document, meanwhile, stateOf } from "./apply-kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));
beforeEach(() => api.authorizer.reset());

/** Documents of the manager, who holds auth:* and fs:Read*, and no fs:Write*. */
const WIDER: readonly (readonly [string, object, RegExp])[] = [
  [
    "attaching a policy that the same documents make",
    {
      policies: [{ name: "New", statement: [allow(["fs:WriteObject"])] }],
      groups: [{ name: "Fresh", policies: ["New"] }],
    },
    /attaching policy "New" to group "Fresh" grants more/,
  ],
  [
    "attaching what is there",
    { users: [{ username: "target", policies: ["Writes"] }] },
    /attaching policy "Writes" to user "target" grants more/,
  ],
  [
    "adding somebody to a group that holds more",
    { users: [{ username: "target", groups: ["Writers"] }] },
    /adding "target" to group "Writers" grants more/,
  ],
  [
    "adding oneself to a group that gets more in the same application",
    {
      groups: [{ name: "Fresh", policies: ["Writes"] }],
      users: [{ username: "manager", groups: ["Fresh"] }],
    },
    /grants more/,
  ],
  [
    "rewriting a policy",
    { policies: [{ name: "Reads", statement: [allow(["fs:*"])] }] },
    /updating policy "Reads" grants more/,
  ],
  [
    "setting the external id of somebody who holds more",
    { users: [{ username: "admin", external_id: "mine" }] },
    /changing who is "admin" grants more/,
  ],
  [
    "setting the e-mail address of somebody who holds more",
    { users: [{ username: "admin", email: "mine@example.com" }] },
    /changing who is "admin" grants more/,
  ],
];

describe("escalation", () => {
  it.each(WIDER)("refuses %s, in a plan too", async (_, sections, message) => {
    const before = await stateOf(api);
    const answer = await applied(api, [document(sections)], { as: "manager" });
    expect([answer.status, answer.text]).toEqual([403, expect.stringMatching(/insufficient permissions: /)]);
    expect(JSON.stringify(answer.json.problems).replaceAll('\\"', '"')).toMatch(message);
    expect(await stateOf(api)).toEqual(before);
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ operation: "escalation", refused: true, actor: "manager" });

    const plan = await applied(api, [document(sections)], { as: "manager", dry_run: true });
    expect(plan.status).toBe(200);
    expect(JSON.stringify(plan.json.refused).replaceAll('\\"', '"')).toMatch(message);
    expect(await stateOf(api)).toEqual(before);
  });

  it("lets pass what the caller holds", async () => {
    const within = document({
      policies: [{ name: "Own", statement: [allow(["fs:ReadObject"])] }],
      groups: [{ name: "Crew", policies: ["Own", "Reads"] }],
      users: [{ username: "ann", email: "ann@example.com", groups: ["Crew", "Readers"] }],
    });
    const answer = await applied(api, [within], { as: "manager" });
    expect([answer.status, answer.json.refused, answer.json.warnings]).toEqual([200, [], []]);
  });

  it("refuses to activate somebody who holds more", async () => {
    await meanwhile(api, [
      { op: "put_user", user: { username: "sleeper", inactive: true } },
      { op: "add_member", group: "Writers", username: "sleeper" },
    ]);
    const sections = { users: [{ username: "sleeper", inactive: false }] };
    const answer = await applied(api, [document(sections)], { as: "manager" });
    expect([answer.status, answer.json.message]).toEqual([
      403,
      expect.stringContaining('activating "sleeper" grants more'),
    ]);
  });

  it("refuses properties of somebody whose conditions could then give more", async () => {
    const statement = [
      { ...allow(["fs:Write*"]), condition: { StringEquals: { "user.team": ["finance"] } } },
    ] as never;
    await meanwhile(api, [
      { op: "put_policy", policy: { name: "Finance", statement } },
      { op: "attach_to_group", group: "Readers", policy: "Finance" },
      { op: "add_member", group: "Readers", username: "target" },
    ]);
    const sections = { users: [{ username: "target", properties: { team: "finance" } }] };
    const answer = await applied(api, [document(sections)], { as: "manager" });
    expect([answer.status, answer.json.message]).toEqual([
      403,
      expect.stringContaining('setting properties of "target"'),
    ]);
    expect((await applied(api, [document(sections)])).status).toBe(200);
  });

  it.each([
    ["detaching it", { users: [{ username: "manager", policies: ["Manages", "Reads"] }] }, false],
    ["removing the policy", { users: [{ username: "manager", policies: ["Manages", "Reads"] }] }, true],
  ])("refuses lifting a deny from the caller by %s", async (_, sections, prune) => {
    const barred = {
      name: "Barred",
      statement: [{ effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/x" }],
    };
    const policies = ["Manages", "Reads", "Barred"];
    const first = document({ policies: [barred], users: [{ username: "manager", policies }] });
    expect((await applied(api, [first])).status).toBe(200);
    const before = await stateOf(api);
    const answer = await applied(api, [document(sections)], { as: "manager", prune });
    expect([answer.status, answer.json.message]).toEqual([403, expect.stringContaining("lifts a deny")]);
    expect(await stateOf(api)).toEqual(before);
  });

  it("compares all removals together", async () => {
    const barred = { effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/x" };
    const named = ["One", "Two"].map((name) => ({ name, statement: [barred] }));
    const both = document({
      policies: named,
      users: [{ username: "manager", policies: ["Manages", "Reads", "One", "Two"] }],
    });
    expect((await applied(api, [both])).status).toBe(200);
    const neither = document({
      policies: named,
      users: [{ username: "manager", policies: ["Manages", "Reads"] }],
    });
    const answer = await applied(api, [neither], { as: "manager" });
    expect([answer.status, answer.json.message]).toEqual([403, expect.stringContaining("lifts a deny")]);
    const one = document({
      policies: named,
      users: [{ username: "manager", policies: ["Manages", "Reads", "One"] }],
    });
    expect((await applied(api, [one], { as: "manager" })).status).toBe(200);
  });
});

describe("escalation: warn", () => {
  it("makes the change and says so", async () => {
    const warning = await startManagement({ "authorizer.escalation": "warn" });
    try {
      const sections = { users: [{ username: "target", policies: ["Writes"] }] };
      const answer = await applied(warning, [document(sections)], { as: "manager" });
      expect([answer.status, answer.json.warnings]).toEqual([
        200,
        [{ pointer: "/documents/0/users/0/policies/0", message: expect.stringContaining("grants more") }],
      ]);
      await expect
        .poll(() => warning.audit().find(({ operation }) => operation === "escalation"))
        .toMatchObject({ refused: false, actor: "manager" });
    } finally {
      await warning.close();
    }
  });
});
