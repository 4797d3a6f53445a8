import { once } from "node:events";
import { request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { basic, KEYS, startManagement } from "../kit.ts";
import { applied, lines, meanwhile, stateOf } from "./apply-kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));
beforeEach(() => api.authorizer.reset());

const allow = (action: readonly string[], resource = "*") => ({ effect: "allow", action, resource });
const document = (sections: object) => ({ format: 1, ...sections });
const CREW = document({
  policies: [{ name: "Own", statement: [allow(["fs:ReadObject"])] }],
  groups: [{ name: "Crew", policies: ["Own"] }],
  users: [{ username: "ann", groups: ["Crew"] }],
});

describe("an application", () => {
  it("is one entry of the log, by the caller, about everything that it touched", async () => {
    const { history } = api.authorizer.directory;
    const before = history.head.revision;
    const answer = await applied(api, [CREW]);
    expect(answer.status).toBe(200);
    expect(Number.parseInt(answer.headers.get("x-svc-revision") ?? "", 10)).toBe(before + 1);
    const [entry, ...more] = (await history.entries(before, 10)) ?? [];
    expect(more).toEqual([]);
    expect(entry?.useCases).toMatchObject([
      { actor: "admin", touched: { users: ["ann"], groups: ["Crew"], policies: ["Own"] } },
    ]);
  });

  it("is audited change by change, as the calls that make them alone", async () => {
    await applied(api, [CREW], { manager: "team/a" });
    const wrote = () =>
      api
        .audit()
        .filter(({ manager }) => manager === "team/a")
        .map(({ operation, user, group, policy }) => [operation, user, group, policy]);
    await expect.poll(wrote).toEqual([
      ["createPolicy", undefined, undefined, "Own"],
      ["createGroup", undefined, "Crew", undefined],
      ["createUser", "ann", undefined, undefined],
      ["attachPolicyToGroup", undefined, "Crew", "Own"],
      ["addGroupMembership", "ann", "Crew", undefined],
    ]);
  });

  it("goes with the directory when an earlier state is restored", async () => {
    await applied(api, [CREW]);
    const { history } = api.authorizer.directory;
    const { revision } = history.head;
    const without = document({ policies: CREW["policies" as never], groups: CREW["groups" as never] });
    expect(lines(await applied(api, [without], { prune: true, yes: true }))).toEqual(["remove user ann"]);
    await history.restore(revision, { withCredentials: false, forgetRevocations: false, dryRun: false });
    expect(lines(await applied(api, [CREW]))).toEqual([]);
    expect(lines(await applied(api, [without], { prune: true, yes: true }))).toEqual(["remove user ann"]);
  });

  it("is refused where the difference is no longer the one that was looked at", async () => {
    const { digest: expected } = (await applied(api, [CREW], { dry_run: true })).json;
    await meanwhile(api, [{ op: "put_user", user: { username: "ann" } }]);
    const before = await stateOf(api);
    const answer = await applied(api, [CREW], { expected });
    expect(answer.status).toBe(409);
    expect(answer.json.message).toContain("no longer the one that was expected");
    expect(await stateOf(api)).toEqual(before);
  });

  it("removes more than half of what was applied before only with yes", async () => {
    await applied(api, [CREW]);
    const little = document({ groups: [{ name: "Crew" }] });
    const plan = await applied(api, [little], { prune: true, dry_run: true });
    expect(plan.json.removes_most).toBe(true);
    const before = await stateOf(api);
    const refused = await applied(api, [little], { prune: true });
    expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining("more than half")]);
    expect(await stateOf(api)).toEqual(before);
    expect((await applied(api, [little], { prune: true, yes: true })).status).toBe(200);
  });

  it("never leaves nobody in Admins", async () => {
    await applied(api, [document({ users: [{ username: "admin", groups: ["Admins"] }] })]);
    const before = await stateOf(api);
    for (const user of [{ username: "admin" }, { username: "admin", groups: ["Admins"], inactive: true }]) {
      const answer = await applied(api, [document({ users: [user] })]);
      expect([answer.status, answer.json.problems]).toEqual([
        400,
        [{ pointer: "/documents/0", message: "nobody would be left in Admins" }],
      ]);
      expect(await stateOf(api)).toEqual(before);
    }
  });
});

describe("an entity has one manager", () => {
  it("and another one is told who it is, and where", async () => {
    await applied(api, [CREW], { manager: "first" });
    const before = await stateOf(api);
    const answer = await applied(api, [document({}), CREW], { manager: "second" });
    expect(answer.status).toBe(409);
    expect(answer.json.problems).toEqual(
      ["policies", "groups", "users"].map((section) => ({
        pointer: `/documents/1/${section}/0`,
        message: expect.stringMatching(/is managed by "first"/),
      })),
    );
    expect(await stateOf(api)).toEqual(before);
  });

  it("but may be referred to by others", async () => {
    await applied(api, [CREW], { manager: "first" });
    const second = document({ users: [{ username: "bob", groups: ["Crew"], policies: ["Own"] }] });
    expect((await applied(api, [second], { manager: "second" })).status).toBe(200);
  });

  it("until the manager's documents no longer name it", async () => {
    await applied(api, [CREW], { manager: "first" });
    await applied(api, [document({ policies: CREW["policies" as never], groups: CREW["groups" as never] })], {
      manager: "first",
    });
    const second = document({ users: [{ username: "ann", groups: ["Crew"], email: "ann@example.com" }] });
    expect(lines(await applied(api, [second], { manager: "second" }))).toEqual(["change user ann (email)"]);
    const first = await applied(api, [CREW], { manager: "first", dry_run: true });
    expect(first.status).toBe(409);
  });
});

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

describe("documents", () => {
  it("have all their problems at once, each with its place", async () => {
    const before = await stateOf(api);
    const answer = await applied(api, [
      document({ users: [{ username: "a b\u0000" }, { username: "ann", grups: [] }] }),
      document({
        preconfigured: true,
        users: [{ username: "bob", credentials: [KEYS.admin], encryptedPassword: "aGFzaA==" }],
        resources: [{ type: "invoice", id: "1" }],
      }),
      { format: 2 },
    ]);
    expect(answer.status).toBe(400);
    const places = (answer.json.problems as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(places.sort()).toEqual([
      "/documents/0/users/0/username",
      "/documents/0/users/1/grups",
      "/documents/1/preconfigured",
      "/documents/1/resources",
      "/documents/1/users/0/credentials",
      "/documents/1/users/0/encryptedPassword",
      "/documents/2/format",
    ]);
    expect(answer.text).not.toContain(KEYS.admin.secret_access_key);
    expect(await stateOf(api)).toEqual(before);
  });

  it("refer to what is there or what they make, also of policies that would be removed", async () => {
    await applied(api, [CREW]);
    const answer = await applied(
      api,
      [
        document({
          groups: [{ name: "Crew", policies: ["Own", "Nowhere"] }],
          users: [
            { username: "ann", groups: ["Ghosts"], external_id: "1" },
            { username: "b", external_id: "1" },
          ],
          policies: [{ name: "Odd", statement: [allow(["nothing:Real"])] }],
        }),
      ],
      { prune: true },
    );
    expect(answer.status).toBe(400);
    const places = (answer.json.problems as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(places.sort()).toEqual([
      "/documents/0/groups/0/policies/0",
      "/documents/0/groups/0/policies/1",
      "/documents/0/policies/0/statement/0/action/0",
      "/documents/0/users/0/groups/0",
      "/documents/0/users/1/external_id",
    ]);
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

describe("what was applied last", () => {
  it("is kept by a store, over a restart", async () => {
    const folder = temporaryFolder();
    const config = {
      "database.type": "local",
      "database.local.path": folder,
      "auth.encrypt.secret_key": "a-secret-key-of-this-test-0123456789abcdef",
    };
    const first = await startManagement(config);
    expect((await applied(first, [CREW])).status).toBe(200);
    await first.close();
    const second = await startManagement(config);
    try {
      const plan = await applied(second, [document({})], { prune: true, dry_run: true });
      expect(lines(plan)).toEqual(["remove group Crew", "remove policy Own", "remove user ann"]);
      const other = await applied(second, [CREW], { manager: "other" });
      expect([other.status, other.text]).toEqual([409, expect.stringContaining("tests")]);
    } finally {
      await second.close();
    }
  });

  it("is not what is decided from: decision points in other processes do not get it", async () => {
    await applied(api, [CREW]);
    const answer = await fetch(`${api.authorizer.url}/api/v1/replica`, {
      headers: { authorization: `Bearer ${api.authorizer.token}` },
      signal: AbortSignal.timeout(10_000),
    });
    let text = "";
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"revision"') && text.includes("Crew")) break;
    }
    expect(text).toContain("Crew");
    expect(text).not.toContain('"applied"');
  });
});
