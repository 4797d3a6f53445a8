/** Findings of lint that a policy accepts: kept by the management API, and unknown to everything else. */
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";

const KEY = "AKIAJADMINEXAMPLEADQ";
const SECRET = "admin-secret-only-for-this-test-0123456789";
const STATEMENT = { sid: "All", effect: "allow", action: ["auth:*"], resource: "*" };
const ACCEPT = [
  { rule: "self-escalation", sid: "All", reason: "They are administrators." },
  { rule: "forged-address", reason: "A proxy replaces it." },
];

const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [
        {
          username: "admin",
          groups: ["Admins"],
          credentials: [{ access_key_id: KEY, secret_access_key: SECRET }],
        },
      ],
    },
  }),
);

async function ask(base: string, authorization: string, method: string, path: string, body?: object) {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const byPeople = (method: string, path: string, body?: object) =>
  ask(authorizer.userUrl, `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`, method, path, body);
const byDataServer = (method: string, path: string, body?: object) =>
  ask(authorizer.url, `Bearer ${authorizer.token}`, method, path, body);

it("are stored, shown and replaced by people, and never served to a data server", async () => {
  const created = await byPeople("POST", "/auth/policies", {
    id: "P",
    accept: ACCEPT,
    statement: [STATEMENT],
  });
  expect(created).toMatchObject({ status: 201, body: { accept: ACCEPT } });
  expect((await byPeople("GET", "/auth/policies/P")).body["accept"]).toEqual(ACCEPT);
  const served = await byDataServer("GET", "/auth/policies/P");
  expect([served.status, "accept" in served.body]).toEqual([200, false]);
  const listed = await byDataServer("GET", "/auth/policies");
  expect(JSON.stringify(listed.body)).not.toContain("administrators.");
  const [first] = ACCEPT;
  await byPeople("PUT", "/auth/policies/P", { id: "P", accept: [first], statement: [STATEMENT] });
  expect((await byPeople("GET", "/auth/policies/P")).body["accept"]).toEqual([first]);
  // A data server knows nothing of them: they are lost where it writes the policy.
  await byDataServer("PUT", "/auth/policies/P", { name: "P", statement: [STATEMENT] });
  expect("accept" in (await byPeople("GET", "/auth/policies/P")).body).toBe(false);
});

it("are refused with their pointers in another form", async () => {
  const refused = async (accept: object[]) => {
    const { status, body } = await byPeople("POST", "/auth/policies", {
      id: "Q",
      accept,
      statement: [STATEMENT],
    });
    return [status, body["message"]];
  };
  expect(await refused([{ rule: "self-escalation" }, { rule: "x", reason: "y", until: "2027" }])).toEqual([
    400,
    expect.stringMatching(/\/accept\/0\/reason: .*\/accept\/1\/until: /),
  ]);
  expect(await refused([{ rule: "X Y", reason: "" }])).toEqual([
    400,
    expect.stringMatching(/\/accept\/0\/rule: .*\/accept\/0\/reason: /),
  ]);
});

it("stay where documents that never named them are applied", async () => {
  await byPeople("POST", "/auth/policies", { id: "R", accept: ACCEPT, statement: [STATEMENT] });
  const apply = (statement: object) =>
    byPeople("POST", "/auth/apply", {
      manager: "m",
      documents: [{ format: 1, policies: [{ name: "R", statement: [statement] }] }],
    });
  expect((await apply(STATEMENT)).body).toMatchObject({ counts: { add: 0, change: 0, remove: 0 } });
  expect((await apply({ ...STATEMENT, action: ["auth:Read*"] })).body).toMatchObject({
    counts: { change: 1 },
  });
  expect((await byPeople("GET", "/auth/policies/R")).body["accept"]).toEqual(ACCEPT);
});

it("are applied from documents, changed by them, and removed where a document no longer has them", async () => {
  const apply = (policy: object) =>
    byPeople("POST", "/auth/apply", {
      manager: "n",
      documents: [{ format: 1, policies: [{ name: "S", statement: [STATEMENT], ...policy }] }],
    });
  const stored = async () => (await byPeople("GET", "/auth/policies/S")).body["accept"];
  expect((await apply({ accept: ACCEPT })).body).toMatchObject({ counts: { add: 1 } });
  expect(await stored()).toEqual(ACCEPT);
  expect((await apply({ accept: ACCEPT })).body).toMatchObject({ counts: { add: 0, change: 0 } });
  const [first] = ACCEPT;
  expect((await apply({ accept: [first] })).body).toMatchObject({
    changes: [{ action: "change", kind: "policy", name: "S", fields: ["accept"] }],
  });
  expect(await stored()).toEqual([first]);
  expect((await apply({})).body).toMatchObject({
    changes: [{ action: "change", name: "S", fields: ["accept"] }],
  });
  expect(await stored()).toBe(undefined);

  const refused = await apply({ accept: [{ rule: "X Y", sid: "a b", reason: "" }] });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringMatching(/accept\/0\/rule.*accept\/0\/sid.*accept\/0\/reason/s),
  ]);
});

it("go back with the policy where the directory is restored", async () => {
  await byPeople("POST", "/auth/policies", { id: "T", accept: ACCEPT, statement: [STATEMENT] });
  const { head } = authorizer.directory.history;
  await byPeople("PUT", "/auth/policies/T", { id: "T", accept: [], statement: [STATEMENT] });
  expect((await byPeople("GET", "/auth/policies/T")).body["accept"]).toBe(undefined);
  await authorizer.directory.history.restore(head.revision, {
    withCredentials: false,
    forgetRevocations: false,
    dryRun: false,
  });
  expect((await byPeople("GET", "/auth/policies/T")).body["accept"]).toEqual(ACCEPT);
});

it("are no warnings of the status", async () => {
  const doubtful = async () => {
    const { body } = await byPeople("GET", "/auth/status");
    return /"doubtful_policies":\{.*?\]\}/.exec(JSON.stringify(body))?.[0] ?? "none yet";
  };
  const accept = [{ rule: "self-escalation", reason: "They are administrators." }];
  await byPeople("POST", "/auth/policies", { id: "Accepted", accept, statement: [STATEMENT] });
  await byPeople("POST", "/auth/policies", { id: "Doubted", statement: [STATEMENT] });
  await expect.poll(doubtful).toContain('"Doubted"');
  expect(await doubtful()).not.toContain('"Accepted"');
});
