import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { MANAGEMENT_OPERATIONS } from "../../../src/api/resources/operations.ts";
import { BASE_PATH } from "../../../src/api/rest/operation.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { readFixture } from "../../read-fixture.ts";
import { KEYS, startManagement } from "./kit.ts";

const api = await closedAfterAll(
  startManagement({
    "authorizer.escalation": "off",
    "authorizer.forward_auth.max_failures": "1000/m",
  }),
);
beforeEach(() => api.authorizer.reset());

interface Case {
  readonly id: string;
  readonly call: string;
  readonly body?: unknown;
  readonly status: number;
  /** The action that a refusal names. */
  readonly action: string;
}

/** Each operation that a row of the permission table guards. */
const { cases: CASES } = readFixture<{ readonly cases: readonly Case[] }>("management/permissions.yaml");

/** Operations of which every user may make use. */
const OF_EVERYBODY = [
  "logout",
  "getCurrentUser",
  "getSession",
  "check",
  "getConfig",
  "getVersion",
  "judgeQuestion",
];

/** An operation of everybody who has a password: test/sign-in/passwords.test.ts. */
const PASSWORDS = ["changePassword"];

/** Operations of everybody about oneself, and of others by permission: questions.test.ts. */
const QUESTIONS = ["whoCan", "whatCan", "plan", "simulate"];

/** Operations that need a decision log or a shadow candidate, and `auth:ReadDecisions`: test/end-to-end/decision-log. */
const RECORDS = [
  "listDecisions",
  "streamDecisions",
  "getDecision",
  "getShadowReport",
  "accessDirectory",
  "listAudit",
  "streamAudit",
  "getAuditRecord",
];

/** Operations that ask for each of their changes: apply/apply.test.ts. */
const APPLICATIONS = ["apply"];

/** Operations that need a decision log or counted use, and `auth:ReadDecisions`: test/end-to-end/access. */
const ACCESS = ["unusedAccess", "suggestPolicies", "reviewAccess"];

it("every operation that is not open is in the table", () => {
  const guarded = MANAGEMENT_OPERATIONS.filter(({ access }) => access !== "open").map(({ id }) => id);
  const others = [...OF_EVERYBODY, ...PASSWORDS, ...QUESTIONS, ...APPLICATIONS, ...RECORDS, ...ACCESS];
  const tried = [...CASES.map(({ id }) => id), ...others];
  expect(tried.sort()).toEqual(guarded.sort());
});

describe.each(CASES)("$id", ({ call, body, status, action }) => {
  const [method = "", path = ""] = call.replace("{key of plain}", KEYS.plain.access_key_id).split(" ");
  const options = body === undefined ? {} : { body };

  it("is served to an administrator", async () => {
    expect((await api.call("admin", method, path, options)).status).toBe(status);
  });

  it("is refused to a viewer, naming the action, and changes nothing", async () => {
    const before = await api.authorizer.directory.batches.state({ secrets: false });
    const answer = await api.call("viewer", method, path, options);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ message: `insufficient permissions: not allowed to ${action}` });
    expect(await api.authorizer.directory.batches.state({ secrets: false })).toEqual(before);
  });

  it("is refused to nobody, and to a wrong secret", async () => {
    const wrong = { ...KEYS.admin, secret_access_key: "wrong" };
    for (const who of [undefined, wrong, { token: "eyJhbGciOiJub25lIn0.e30." }]) {
      const answer = await api.call(who, method, path, options);
      expect({ status: answer.status, body: answer.json }).toEqual({
        status: 401,
        body: { message: "error authenticating request" },
      });
    }
  });
});

describe.each(OF_EVERYBODY.filter((id) => id !== "check"))("%s", (id) => {
  it("is for every user, and for nobody else", async () => {
    const { method = "", path = "", body } = MANAGEMENT_OPERATIONS.find((one) => one.id === id) ?? {};
    const options = body === undefined ? {} : { body: body.example };
    const answer = await api.call("plain", method, path.slice(BASE_PATH.length), options);
    expect(answer.status).toBeLessThan(300);
    expect((await api.call(undefined, method, path.slice(BASE_PATH.length), options)).status).toBe(401);
  });
});

describe("own credentials", () => {
  it("are managed by every viewer, others' are not", async () => {
    const own = "/auth/users/viewer/credentials";
    const made = await api.call("viewer", "POST", own);
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const { access_key_id } = made.json;
    const listed = await api.call("viewer", "GET", own);
    expect(listed.json.results.map((key: { access_key_id: string }) => key.access_key_id)).toContain(
      access_key_id,
    );
    expect(listed.text).not.toContain("secret_access_key");
    expect((await api.call(made.json, "GET", "/user")).json.user.id).toBe("viewer");
    expect((await api.call("viewer", "DELETE", `${own}/${access_key_id}`)).status).toBe(204);
    expect((await api.call("viewer", "DELETE", `${own}/${KEYS.admin.access_key_id}`)).status).toBe(404);
    for (const [method, path] of [
      ["POST", "/auth/users/admin/credentials"],
      ["GET", "/auth/users/admin/credentials"],
      ["DELETE", `/auth/users/admin/credentials/${KEYS.admin.access_key_id}`],
      ["POST", "/auth/users/viewe%72%2f/credentials"],
    ] as const) {
      expect((await api.call("viewer", method, path)).status, path).toBe(401);
    }
  });
});

describe("conditions on what is managed", () => {
  async function withPolicy(condition: unknown, action = "auth:*"): Promise<void> {
    const statement = [{ effect: "allow", action: [action], resource: "*", condition }];
    await api.authorizer.directory.policies.create({ name: "Conditional", statement } as never);
    await api.authorizer.directory.users.attachPolicy("plain", "Conditional");
  }

  it.each([
    [
      "action.policy",
      "PUT",
      "/auth/users/target/policies/Writes",
      "PUT",
      "/auth/users/target/policies/Manages",
      "Writes",
    ],
    [
      "action.group",
      "PUT",
      "/auth/groups/Readers/members/plain",
      "PUT",
      "/auth/groups/Writers/members/plain",
      "Readers",
    ],
    [
      "action.user",
      "PUT",
      "/auth/groups/Readers/members/plain",
      "PUT",
      "/auth/groups/Readers/members/viewer",
      "plain",
    ],
  ])("%s says which", async (field, method, allowed, otherMethod, refused, value) => {
    await withPolicy({ StringEquals: { [field]: [value] } });
    expect((await api.call("plain", otherMethod, refused)).status).toBe(401);
    expect((await api.call("plain", method, allowed)).status).toBe(201);
  });

  it("a body says which user is created", async () => {
    await withPolicy({ StringLike: { "action.user": ["team-*"] } });
    expect((await api.call("plain", "POST", "/auth/users", { body: { id: "other" } })).status).toBe(401);
    expect((await api.call("plain", "POST", "/auth/users", { body: { id: "team-x" } })).status).toBe(201);
  });

  it("an access list is a policy of its own name", async () => {
    await withPolicy({ StringEquals: { "action.policy": ["ACL(_-_)Readers"] } });
    const body = { permission: "Read" };
    expect((await api.call("plain", "POST", "/auth/groups/Writers/acl", { body })).status).toBe(401);
    expect((await api.call("plain", "POST", "/auth/groups/Readers/acl", { body })).status).toBe(201);
  });

  it("SourceIp is the peer, or what a trusted proxy says of it", async () => {
    await withPolicy({ IpAddress: { SourceIp: ["192.0.2.0/24"] } }, "auth:ListUsers");
    expect((await api.call("plain", "GET", "/auth/users")).status).toBe(401);
    const through = (forwarded: string) =>
      api.call("plain", "GET", "/auth/users", { headers: { "x-forwarded-for": forwarded } });
    expect((await through("192.0.2.7")).status).toBe(200);
    expect((await through("192.0.2.7, 198.51.100.1")).status).toBe(401);
  });

  it("a call is refused where nobody can tell the client's address", async () => {
    await withPolicy({ IpAddress: { SourceIp: ["127.0.0.0/8"] } }, "auth:ListUsers");
    const headers = { "x-forwarded-for": "unknown" };
    expect((await api.call("plain", "GET", "/auth/users", { headers })).status).toBe(400);
  });
});

describe("a resource that is longer than authorizer.limits.arn_bytes", () => {
  it("is held against no policy, whoever asks", async () => {
    const short = await startManagement({ "authorizer.limits.arn_bytes": 100 });
    onTestFinished(() => short.close());
    for (const who of ["admin", "plain"] as const) {
      const long = await short.call(who, "POST", "/auth/groups", { body: { id: "g".repeat(100) } });
      expect([long.status, long.json.message]).toEqual([400, "the resource is longer than 100 bytes"]);
    }
    expect((await short.call("admin", "POST", "/auth/groups", { body: { id: "g".repeat(60) } })).status).toBe(
      201,
    );
    expect((await api.call("admin", "POST", "/auth/groups", { body: { id: "g".repeat(100) } })).status).toBe(
      201,
    );
  });
});
