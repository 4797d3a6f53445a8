import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Management, startManagement } from "./kit.ts";

let api: Management;

const ARN = "arn:svc:fs:::repository/x";
const denies = { effect: "deny", action: ["fs:DeleteObject"], resource: "*" };
const reads = { effect: "allow", action: ["fs:Read*"], resource: "*" };
const writes = { effect: "allow", action: ["fs:WriteObject"], resource: `${ARN}/*` };

/** The manager holds auth:* and fs:Read*, and no fs:Write*. */
const WIDER = [
  ["attaching a policy to a user", "PUT", "/auth/users/target/policies/Writes", undefined],
  ["attaching a policy to oneself", "PUT", "/auth/users/manager/policies/Writes", undefined],
  ["attaching a policy to a group", "PUT", "/auth/groups/Readers/policies/Writes", undefined],
  ["adding a member", "PUT", "/auth/groups/Writers/members/target", undefined],
  ["updating a policy", "PUT", "/auth/policies/Reads", { id: "Reads", statement: [reads, writes] }],
  ["creating credentials for an administrator", "POST", "/auth/users/admin/credentials", undefined],
  [
    "a principal that acts as an administrator",
    "POST",
    "/auth/users/admin/external/principals?principalId=role",
    undefined,
  ],
  ["the e-mail address of an administrator", "PATCH", "/auth/users/admin", { email: "me@example.com" }],
  ["making an administrator active again", "PATCH", "/auth/users/asleep", { inactive: false }],
  ["creating credentials for an inactive administrator", "POST", "/auth/users/asleep/credentials", undefined],
  ["an access list", "POST", "/auth/groups/Readers/acl", { permission: "Write" }],
  ["an update that lifts a deny", "PUT", "/auth/policies/Held", { id: "Held", statement: [reads] }],
] as const;

const WITHIN = [
  ["attaching what one holds", "PUT", "/auth/users/plain/policies/Reads", undefined],
  ["adding a member to a group with what one holds", "PUT", "/auth/groups/Readers/members/plain", undefined],
  ["credentials of one's own", "POST", "/auth/users/manager/credentials", undefined],
  ["credentials for one who holds less", "POST", "/auth/users/target/credentials", undefined],
  ["an update within what one holds", "PUT", "/auth/policies/Writes", { id: "Writes", statement: [reads] }],
  [
    "an update that keeps its deny",
    "PUT",
    "/auth/policies/Held",
    { id: "Held", statement: [{ ...reads, action: ["fs:ReadObject"] }, denies] },
  ],
  ["a friendly name", "PATCH", "/auth/users/admin", { friendly_name: "Admin" }],
  ["making somebody inactive", "PATCH", "/auth/users/target", { inactive: true }],
  ["an e-mail address of one's own", "PATCH", "/auth/users/manager", { email: "me@example.com" }],
  ["taking away", "DELETE", "/auth/users/target/policies/Reads", undefined],
] as const;

/** Ways to lose the policy `Barred`, which denies the manager to read `x`, with how the manager holds it. */
const LIFTS = [
  ["detaching a policy from oneself", "user", "/auth/users/manager/policies/Barred"],
  ["detaching a policy from one's group", "group", "/auth/groups/Barred people/policies/Barred"],
  ["leaving a group", "group", "/auth/groups/Barred people/members/manager"],
  ["deleting a policy of one's own", "user", "/auth/policies/Barred"],
  ["deleting a policy of one's group", "group", "/auth/policies/Barred"],
  ["deleting one's group", "group", "/auth/groups/Barred people"],
] as const;

/** Removals after which the manager may do what the manager could do before. */
const LIFTS_NOTHING = [
  ["a deny that a group still brings", "both", "/auth/users/manager/policies/Barred"],
  ["a deny that is attached directly too", "both", "/auth/groups/Barred people"],
  ["a deny of somebody else", "group", "/auth/groups/Barred people/members/target"],
  ["a policy that only allows", "user", "/auth/users/manager/policies/Reads"],
  ["what one does not hold", "group", "/auth/users/manager/policies/Barred"],
] as const;

/** Attaches `Barred` to the manager, directly, through a group, or both. */
async function bar(how: "user" | "group" | "both"): Promise<void> {
  const { policies, users, groups } = api.authorizer.directory;
  const deny = { effect: "deny", action: ["fs:*"], resource: ARN };
  await policies.create({ name: "Barred", statement: [reads, deny] });
  await groups.create({ name: "Barred people" });
  await groups.attachPolicy("Barred people", "Barred");
  await groups.addMember("Barred people", "target");
  if (how !== "group") await users.attachPolicy("manager", "Barred");
  if (how !== "user") await groups.addMember("Barred people", "manager");
}

const path = (written: string): string => written.replaceAll(" ", "%20");

function withMode(mode: string): void {
  beforeAll(async () => {
    api = await startManagement({ "authorizer.escalation": mode });
  });
  beforeEach(async () => {
    await api.authorizer.reset();
    const { policies, users, groups } = api.authorizer.directory;
    await policies.create({ name: "Held", statement: [reads, denies] } as never);
    await users.create({ username: "asleep" });
    await groups.addMember("Admins", "asleep");
    await users.update("asleep", { inactive: true });
  });
  afterAll(() => api?.close());
}

/** Two policies whose comparison would take hours. */
async function createHostile(): Promise<void> {
  const { directory } = api.authorizer;
  const deny = { ...denies, resource: `arn:svc:fs:::${"${user}/a".repeat(350)}` };
  const allow = { ...reads, action: ["fs:*"], resource: `arn:svc:fs:::${"*?a".repeat(1300)}` };
  await directory.policies.create({ name: "Slows", statement: [deny, { ...reads, action: ["fs:*"] }] });
  await directory.policies.create({ name: "Hostile", statement: [allow] });
  await directory.users.attachPolicy("manager", "Slows");
}

const state = () => api.authorizer.directory.batches.state({ secrets: false });

describe("escalation: deny", () => {
  withMode("deny");

  it.each(WIDER)("refuses %s, naming what would become possible", async (_title, method, path, body) => {
    const before = await state();
    const answer = await api.call("manager", method, path, body === undefined ? {} : { body });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toMatch(
      /^insufficient permissions: .* grants more than "manager" holds: \w+:\w+ on \S+$/,
    );
    expect(await state()).toEqual(before);
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ operation: "escalation", refused: true, actor: "manager" });
  });

  it.each(WITHIN)("lets pass %s", async (_title, method, path, body) => {
    const answer = await api.call("manager", method, path, body === undefined ? {} : { body });
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.get("warning") ?? "").not.toContain("escalation");
  });

  it.each(LIFTS)("refuses %s where that lifts a deny from the caller", async (_title, how, written) => {
    await bar(how);
    const before = await state();
    const answer = await api.call("manager", "DELETE", path(written));
    expect(answer.status).toBe(403);
    expect(answer.json.message).toMatch(
      /^insufficient permissions: .* lifts a deny from "manager": fs:Read\w+ on arn:svc:fs:::repository\/x$/,
    );
    expect(await state()).toEqual(before);
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ operation: "escalation", refused: true, actor: "manager" });
  });

  it.each(LIFTS_NOTHING)("lets the caller remove %s", async (_title, how, written) => {
    await bar(how);
    const answer = await api.call("manager", "DELETE", path(written));
    // What is not attached cannot be detached: the write itself says so.
    expect([204, 404]).toContain(answer.status);
    expect(answer.headers.get("warning")).toBeNull();
  });

  it("refuses the second of two removals that each rely on the deny which the other takes away", async () => {
    await bar("both");
    const answers = await Promise.all([
      api.call("manager", "DELETE", "/auth/users/manager/policies/Barred"),
      api.call("manager", "DELETE", path("/auth/groups/Barred people/members/manager")),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
    const held = await api.authorizer.directory.principal("manager");
    expect(held?.policies.map(({ name }) => name)).toContain("Barred");
  });

  it("refuses an access list that replaces a deny which the caller has too", async () => {
    const { users } = api.authorizer.directory;
    await users.attachPolicy("manager", "FSFullAccess");
    await bar("group");
    const answer = await api.call("manager", "POST", path("/auth/groups/Barred people/acl"), {
      body: { permission: "Read" },
    });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toMatch(
      /grants more than "manager" holds: fs:\w+ on arn:svc:fs:::repository\/x$/,
    );
  });

  it("compares own things with own things when a policy is handed on, and names when somebody is acted as", async () => {
    const { directory } = api.authorizer;
    const statement = [
      { effect: "allow", action: ["fs:*"], resource: "arn:svc:fs:::repository/own-${user}" },
    ];
    await directory.policies.create({ name: "Own", statement });
    await directory.users.attachPolicy("manager", "Own");
    expect((await api.call("manager", "PUT", "/auth/users/plain/policies/Own")).status).toBe(201);
    const acting = await api.call("manager", "POST", "/auth/users/plain/credentials");
    expect(acting.json.message).toContain("arn:svc:fs:::repository/own-plain");
  });

  it("refuses what takes too long to compare, and answers others meanwhile", async () => {
    await createHostile();
    let answered = 0;
    const attaching = api.call("manager", "PUT", "/auth/users/plain/policies/Hostile");
    const others = (async () => {
      for (; answered < 3; answered++) await api.call("viewer", "GET", "/user");
    })();
    const { status, json } = await attaching;
    expect(answered).toBe(3);
    await others;
    expect(status).toBe(403);
    expect(json.message).toBe(
      'insufficient permissions: attaching policy "Hostile" to user "plain" may grant more than "manager" holds: comparing them takes too long',
    );
  });

  it("writes what was judged: a name that stands for another policy by then is refused", async () => {
    await createHostile();
    await api.call("manager", "POST", "/auth/policies", { body: { id: "Turns", statement: [reads] } });
    const { directory } = api.authorizer;
    const { principal } = directory;
    let asked = 0;
    directory.principal = (username) => {
      asked++;
      return principal(username);
    };
    // While this one is looked at, the next ones wait, and their policies can be exchanged.
    const slow = api.call("manager", "PUT", "/auth/users/plain/policies/Hostile");
    await expect.poll(() => asked).toBe(1);
    const late = [
      api.call("manager", "PUT", "/auth/users/manager/policies/Turns"),
      api.call("manager", "PUT", "/auth/groups/Readers/policies/Turns"),
      api.call("manager", "PUT", "/auth/policies/Held", { body: { id: "Held", statement: [reads, denies] } }),
      api.call("manager", "POST", "/auth/groups/Readers/acl", { body: { permission: "Read" } }),
    ];
    await expect.poll(() => asked).toBe(1 + late.length);
    expect((await api.call("manager", "DELETE", "/auth/policies/Turns")).status).toBe(204);
    const wider = { id: "Turns", statement: [{ ...writes, action: ["*"], resource: "*" }] };
    expect((await api.call("manager", "POST", "/auth/policies", { body: wider })).status).toBe(201);
    directory.principal = principal;
    await directory.policies.update({
      name: "Held",
      statement: [reads, { ...denies, action: ["fs:ReadObject"] }],
    });
    await directory.policies.update({ name: "Reads", statement: [reads, denies] });
    const answers = await Promise.all(late);
    // Attaching is judged again, with the policy of the name by then.
    for (const answer of answers.slice(0, 2)) {
      expect([answer.status, answer.json.message]).toEqual([
        403,
        expect.stringContaining('grants more than "manager" holds'),
      ]);
    }
    for (const answer of answers.slice(2)) {
      expect([answer.status, answer.json.message]).toEqual([
        503,
        expect.stringMatching(/changed in the meantime, try again$/),
      ]);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    await slow;
    const held = await principal("manager");
    expect(held?.policies.map(({ name }) => name)).toEqual(["Manages", "Reads", "Slows"]);
  });

  it("the permission is asked first, and what does not exist is not found", async () => {
    expect((await api.call("viewer", "PUT", "/auth/users/target/policies/Writes")).status).toBe(401);
    expect((await api.call("manager", "PUT", "/auth/users/target/policies/None")).status).toBe(404);
    expect((await api.call("manager", "POST", "/auth/users/none/credentials")).status).toBe(404);
  });
});

describe("escalation: warn", () => {
  withMode("warn");

  it("does it and says so to caller and audit log", async () => {
    const answer = await api.call("manager", "PUT", "/auth/users/target/policies/Writes");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("warning")).toMatch(/^299 svc-authorizer ".*grants more than/);
    await expect
      .poll(() => api.audit().slice(-2))
      .toMatchObject([
        { operation: "escalation", refused: false },
        { event: "write", operation: "attachPolicyToUser", policy: "Writes" },
      ]);
  });
});

describe("escalation: warn, for removals", () => {
  withMode("warn");

  it("does it and says so to caller and audit log", async () => {
    await bar("user");
    const answer = await api.call("manager", "DELETE", "/auth/users/manager/policies/Barred");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("warning")).toMatch(/^299 svc-authorizer ".*lifts a deny from/);
    await expect
      .poll(() => api.audit().slice(-2))
      .toMatchObject([
        { operation: "escalation", refused: false },
        { event: "write", operation: "detachPolicyFromUser", policy: "Barred" },
      ]);
  });
});

describe("escalation: off", () => {
  withMode("off");

  it("removes a deny without a word", async () => {
    await bar("user");
    const answer = await api.call("manager", "DELETE", "/auth/policies/Barred");
    expect([answer.status, answer.headers.get("warning")]).toEqual([204, null]);
  });

  it("says nothing", async () => {
    const answer = await api.call("manager", "PUT", "/auth/users/target/policies/Writes");
    expect([answer.status, answer.headers.get("warning")]).toEqual([201, null]);
  });
});
