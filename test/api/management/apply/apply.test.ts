import { beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../../../src/directory/batch.ts";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { KEYS, startManagement } from "../kit.ts";
import { allow, applied, CREW, document, lines, meanwhile, stateOf } from "./apply-kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));
beforeEach(() => api.authorizer.reset());

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

  it("names the policies that memberships give, and where these are too many their number", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${"p".repeat(100)}-${index}`);
    const users = Array.from({ length: 100 }, (_, index) => ({ username: `u${index}`, groups: ["Crew"] }));
    await meanwhile(api, [
      { op: "put_group", name: "Crew" },
      ...names.flatMap((name): BatchOperation[] => [
        { op: "put_policy", policy: { name, statement: [allow(["fs:ReadObject"])] } },
        { op: "attach_to_group", group: "Crew", policy: name },
      ]),
    ]);
    const { json } = await applied(api, [document({ users })], { dry_run: true });
    const memberships = json.changes.filter(({ kind }: { kind: string }) => kind === "membership");
    const [first, last] = [memberships.at(0), memberships.at(-1)];
    expect(new Set(first.policies)).toEqual(new Set(names));
    expect(first).not.toHaveProperty("policy_count");
    expect(last).toMatchObject({ policy_count: 1_000 });
    expect(last).not.toHaveProperty("policies");
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
      signal: AbortSignal.timeout(60_000),
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
