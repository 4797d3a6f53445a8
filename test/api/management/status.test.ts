/** `GET /auth/status`: the state of the node and its directory. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../end-to-end/program.ts";
import { DATASET, type Management, startManagement } from "./kit.ts";

const YEAR_S = 365 * 24 * 60 * 60;
const now = Math.floor(Date.now() / 1_000);

let api: Management;
beforeAll(async () => {
  const users = [
    ...(DATASET.users ?? []),
    { username: "warden", policies: ["Attaches"] },
    { username: "gone", policies: ["Reads"] },
  ];
  const policies = [
    ...(DATASET.policies ?? []),
    { name: "Attaches", statement: [{ effect: "allow", action: ["auth:AttachPolicy"], resource: "*" }] },
    { name: "Odd", statement: [{ effect: "allow", action: ["fs:ReadObjects"], resource: "*" }] },
    { name: "Never", statement: [{ effect: "deny", action: ["fs:DeleteObject"], resource: "*" }] },
  ];
  api = await startManagement(
    {
      "authorizer.decision_log.include": "denied",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.node_name": "node-1",
    },
    { ...DATASET, users, policies } as unknown as typeof DATASET,
  );
  const { credentials } = api.authorizer.directory;
  const secret_access_key = "a-secret-of-an-old-key";
  for (const [user, id, age] of [
    ["target", "AKIAJOLDOLDOLDOLDOLQ", 2 * YEAR_S],
    ["gone", "AKIAJGONEGONEGONEGOQ", 2 * YEAR_S],
    ["target", "AKIAJNEWNEWNEWNEWNEQ", YEAR_S - 100],
  ] as const) {
    await credentials.create(user, { access_key_id: id, secret_access_key, creation_date: now - age });
  }
  await api.authorizer.directory.users.delete("gone");
});
afterAll(() => api?.close());

const status = async () => (await api.call("admin", "GET", "/auth/status")).json;

describe("the state of the node", () => {
  it("counts the decisions of each minute, and refusals by policy; not those about this API", async () => {
    await api.authorizer.directory.users.attachPolicy("target", "Never");
    const check = (action: string) =>
      api.authorizer.client.check({
        user: "target",
        required: { action, resource: "arn:svc:fs:::repository/data/object/a" },
      });
    for (const action of ["fs:ReadObject", "fs:ReadObject", "fs:DeleteObject", "fs:WriteObject"]) {
      await check(action);
    }
    const { decisions } = await status();
    const sum = (kind: "allowed" | "refused") =>
      decisions.minutes.reduce(
        (total: number, minute: Record<string, number>) => total + (minute[kind] ?? 0),
        0,
      );
    expect([sum("allowed"), sum("refused")]).toEqual([2, 2]);
    expect(decisions.per_second).toBeGreaterThan(0);
    const since = Date.parse(decisions.since);
    for (const { at } of decisions.minutes) expect(Date.parse(at)).toBeGreaterThan(since - 60_000);
    // The index of the log may take longer to start than the state waits.
    await expect
      .poll(async () => (await status()).refusals_by_policy)
      .toEqual([
        { policy: null, count: 1 },
        { policy: "Never", count: 1 },
      ]);
  });

  it("says who answers, whether it is ready, and which revision it has", async () => {
    const found = await status();
    expect(found).toMatchObject({ node: "node-1", ready: true, reasons: [] });
    expect(Date.parse(found.started_at)).toBeLessThanOrEqual(Date.now());
    const { revision } = found;
    await api.call("admin", "POST", "/auth/groups", { body: { id: "new" } });
    const after = await status();
    expect(after.revision).toBe(revision + 1);
    expect(after.changes[0]).toMatchObject({
      revision: revision + 1,
      actors: ["admin"],
      groups: ["new"],
      users: [],
      more: false,
    });
  });
});

/** The warnings, once they have been looked for: a loaded machine needs more time than the first answer has. */
async function warned() {
  const { warnings } = await vi.waitUntil(
    async () => {
      const found = await status();
      return found.warnings === undefined ? undefined : found;
    },
    { interval: 100 },
  );
  return warnings;
}

describe("warnings", () => {
  it("name old keys of users who exist, doubtful policies and administrators", async () => {
    const warnings = await warned();
    expect(warnings).toMatchObject({
      complete: true,
      old_keys: {
        count: 1,
        some: [{ user: "target", access_key_id: "AKIAJOLDOLDOLDOLDOLQ", creation_date: now - 2 * YEAR_S }],
      },
      administrators: { count: 3, some: ["admin", "manager", "warden"] },
    });
    const odd = warnings.doubtful_policies.some.find(({ policy }: { policy: string }) => policy === "Odd");
    expect(odd).toEqual({
      policy: "Odd",
      warnings: 1,
      message: "the data server has no action fs:ReadObjects (did you mean fs:ReadObject?)",
    });
    expect(warnings.doubtful_policies.count).toBeGreaterThanOrEqual(1);
  });

  it("are not about policies as they come with the service, and about such that somebody changed", async () => {
    const name = "AuthFullAccess";
    const found = async () => {
      const some = (await warned()).doubtful_policies.some as { readonly policy: string }[];
      return some.map(({ policy }) => policy);
    };
    const policies = (await api.call("admin", "GET", "/auth/policies?amount=1000")).json.results;
    expect(policies.map(({ id }: { id: string }) => id)).toContain(name);
    expect(await found()).not.toContain(name);
    const shipped = policies.find(({ id }: { id: string }) => id === name).statement;
    const other = await startManagement();
    await other.call("admin", "PUT", `/auth/policies/${name}`, {
      body: { id: name, statement: [...shipped, ...shipped] },
    });
    await expect
      .poll(async () => JSON.stringify((await other.call("admin", "GET", "/auth/status")).json.warnings))
      .toContain(`"policy":"${name}"`);
    await other.close();
  });

  it("hold no secret", async () => {
    expect((await api.call("admin", "GET", "/auth/status")).text).not.toContain("secret");
  });
});

it("a service stops while warnings are looked for", async () => {
  const other = await startManagement();
  for (let number = 0; number < 300; number++) {
    const statement = [{ effect: "allow", action: [`fs:Read*${number}`], resource: "*" }];
    await other.authorizer.directory.policies.create({ name: `p${number}`, statement } as never);
  }
  const asked = other.call("admin", "GET", "/auth/status").catch(() => undefined);
  await other.call("admin", "GET", "/user");
  await other.close();
  expect([200, undefined]).toContain((await asked)?.status);
});
