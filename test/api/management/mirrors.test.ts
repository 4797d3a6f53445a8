/** The replication API, on stand-ins of two data servers. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { StandIn } from "../../mirroring/stand-in/stand-in.ts";
import { basic, callTarget, DATASET, KEYS, type Management, startManagement } from "./kit.ts";

let source: StandIn;
let west: StandIn;
let api: Management;
const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";
const ALL = "/service/replication/v1/mirrors";
const BODY = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };

/** Users with a part each of what an operation needs. */
const PARTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  creator: [
    ["fs:CreateRepository", "arn:svc:fs:::repository/sales-west"],
    ["fs:MirrorRepository", "arn:svc:fs:::repository/sales"],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west"],
  ],
  lister: [["fs:ListRepositories", "*"]],
  deleter: [["fs:DeleteRepository", "arn:svc:fs:::repository/sales-west"]],
  editor: [["fs:MirrorRepository", "arn:svc:fs:::repository/sales"]],
  elsewhere: [
    ["fs:*", "arn:svc:fs:::repository/other"],
    ["fs:*", "arn:svc:fs:::namespace/local://other"],
  ],
};
const keyOf = (name: string) => ({
  access_key_id: `AKIAJ${name.toUpperCase().padEnd(14, "X")}Q`,
  secret_access_key: `${name}-secret-of-the-tests`.padEnd(40, "x"),
});
const policiesOf = (name: string, statements: readonly (readonly [string, string])[]) => ({
  name: `P-${name}`,
  statement: statements.map(([action, resource]) => ({ effect: "allow", action: [action], resource })),
});

const withPart = (left: number) => PARTS["creator"]?.filter((_, at) => at !== left) ?? [];
const PEOPLE: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  ...PARTS,
  without0: withPart(0),
  without1: withPart(1),
  without2: withPart(2),
};

beforeEach(async () => {
  source = await StandIn.start();
  west = await StandIn.start();
  source.create("sales");
  const secret = { access_key_id: "AKIAJMIRRORXXXXXXXXQ", secret_access_key: "mirror-secret" };
  const dataset = {
    ...DATASET,
    users: [
      ...(DATASET.users ?? []),
      ...Object.keys(PEOPLE).map((name) => ({
        username: name,
        policies: [`P-${name}`],
        credentials: [keyOf(name)],
      })),
    ],
    policies: [
      ...(DATASET.policies ?? []),
      ...Object.entries(PEOPLE).map(([name, statements]) => policiesOf(name, statements)),
    ],
  };
  api = await startManagement(
    {
      "authorizer.mirroring.source.endpoint": source.url,
      "authorizer.mirroring.source.access_key_id": "AKIASOURCE",
      "authorizer.mirroring.source.secret_access_key": "source-secret",
      "authorizer.mirroring.regions": { west: { endpoint: west.url, ...secret } },
      "authorizer.mirroring.verify_interval": "1s",
      "authorizer.mirroring.scan_interval": "1s",
    },
    dataset as never,
  );
});
afterEach(async () => {
  await api.close();
  await Promise.all([source.close(), west.close()]);
});

function call(who: string | undefined, method: string, target: string, body?: unknown) {
  const key = who === undefined ? undefined : who in KEYS ? KEYS[who as keyof typeof KEYS] : keyOf(who);
  return callTarget(api.authorizer.userUrl, method, target, {
    ...(body !== undefined && { body }),
    headers: key === undefined ? {} : { authorization: basic(key) },
  });
}

describe("mirrors", { timeout: 60_000 }, () => {
  it("are created, shown, listed, edited and deleted, and the audit log says so", async () => {
    const made = await call("admin", "POST", MIRRORS, BODY);
    expect(made.status, made.text).toBe(201);
    expect(made.headers.get("location")).toBe(`${MIRRORS}/sales-west`);
    expect(made.json).toMatchObject({
      id: "sales-west",
      state: "creating",
      source_repository: "sales",
      created_by: "admin",
      branches: { include: [], exclude: [] },
      write_protection: "unknown",
    });
    const listed = await call("admin", "GET", `${MIRRORS}?amount=1`);
    expect(listed.json.results.map(({ id }: { id: string }) => id)).toEqual(["sales-west"]);
    const edited = await call("admin", "PUT", `${MIRRORS}/sales-west/branches`, { exclude: ["tmp-*"] });
    expect(edited.json.branches).toEqual({ include: [], exclude: ["tmp-*"] });
    const end = Date.now() + 20_000;
    while (!west.repositories.has("sales-west") && Date.now() < end)
      await new Promise((go) => setTimeout(go, 50));
    expect(west.repositories.get("sales-west")?.isReadOnly).toBe(true);
    expect((await call("admin", "GET", `${MIRRORS}/sales-west`)).json.branches.exclude).toEqual(["tmp-*"]);
    expect((await call("admin", "DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    expect(west.repositories.has("sales-west")).toBe(false);
    expect((await call("admin", "GET", `${MIRRORS}/sales-west`)).status).toBe(404);
    const again = await call("admin", "POST", MIRRORS, BODY);
    expect([again.status, again.json.message]).toEqual([409, expect.stringContaining("a moment ago")]);
    const written = api.audit().filter(({ event }) => event === "write");
    expect(written.map(({ operation, mirror, actor }) => [operation, mirror, actor])).toEqual([
      ["createMirror", "sales-west", "admin"],
      ["editMirroredBranches", "sales-west", "admin"],
      ["deleteMirror", "sales-west", "admin"],
    ]);
    expect(JSON.stringify(written)).not.toContain("mirror-secret");
  });

  it("are listed over all repositories, with few of their heads", async () => {
    source.create("other");
    const other = { ...BODY, name: "other-west", storage_namespace: "local://other-west" };
    expect((await call("admin", "POST", MIRRORS.replace("sales", "other"), other)).status).toBe(201);
    expect((await call("admin", "POST", MIRRORS, BODY)).status).toBe(201);
    const names = (answer: { json: { results: { id: string }[] } }) =>
      answer.json.results.map(({ id }) => id);
    expect(names(await call("admin", "GET", ALL))).toEqual(["other-west", "sales-west"]);
    expect(names(await call("admin", "GET", `${ALL}?search=sales`))).toEqual(["sales-west"]);
    expect(names(await call("admin", "GET", `${ALL}?after=other-west`))).toEqual(["sales-west"]);
    expect(names(await call("admin", "GET", MIRRORS))).toEqual(["sales-west"]);
    const { mirror_regions } = (await call("plain", "GET", "/api/v1/config")).json;
    expect(mirror_regions).toEqual(["west"]);
  });

  it("are refused with every problem of what was asked for", async () => {
    const wrong = await call("admin", "POST", MIRRORS, { name: "A", region: "east", storage_namespace: "x" });
    expect(wrong.status).toBe(400);
    for (const field of ["name", "region", "storage_namespace"]) expect(wrong.json.message).toContain(field);
    const more = await call("admin", "POST", MIRRORS, { ...BODY, read_only: false });
    expect([more.status, more.json.message]).toEqual([400, expect.stringContaining("read_only")]);
    expect((await call("admin", "POST", MIRRORS, { name: "sales-west" })).status).toBe(400);
  });

  it("are refused with names that no policy is held against", async () => {
    for (const field of ["name", "storage_namespace"]) {
      const long = await call("admin", "POST", MIRRORS, { ...BODY, [field]: "x".repeat(4_096) });
      expect([long.status, long.json.message]).toEqual([400, "the resource is longer than 4096 bytes"]);
    }
  });
  it("are refused with a scheme that the region's server does not serve, where it tells", async () => {
    const elsewhere = { ...BODY, storage_namespace: "s3://bucket/sales-west" };
    const answer = await call("admin", "POST", MIRRORS, elsewhere);
    expect([answer.status, answer.json.error_details ?? answer.json.message]).toEqual([
      400,
      expect.stringContaining("must begin with local://"),
    ]);
    west.fault = (kind) => (kind === "GET config" ? "unknown" : "none");
    expect((await call("admin", "POST", MIRRORS, elsewhere)).status).toBe(201);
  });

  it.each(["local://sales-west", "local://sales-west/", "local://sales-west/below", "local://sales-west//"])(
    "are refused where the namespace is that of another repository: %s",
    async (namespace) => {
      west.create("taken", { namespace: "local://sales-west" });
      const answer = await call("admin", "POST", MIRRORS, { ...BODY, storage_namespace: namespace });
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining("taken")]);
    },
  );

  it("are refused around another repository, and not beside one whose name begins alike", async () => {
    west.create("taken", { namespace: "local://bucket/a/b" });
    for (const signs of ["local://bucket/*", "local://bucket/${user}"]) {
      expect((await call("admin", "POST", MIRRORS, { ...BODY, storage_namespace: signs })).status).toBe(400);
    }
    const around = { ...BODY, storage_namespace: "local://bucket/a" };
    expect((await call("admin", "POST", MIRRORS, around)).status).toBe(400);
    const beside = { ...BODY, storage_namespace: "local://bucket/a/bc" };
    expect((await call("admin", "POST", MIRRORS, beside)).status).toBe(201);
  });

  it("are refused where the name is taken at any server, or the source is unknown or a mirror", async () => {
    const create = async (body: object, target = MIRRORS) =>
      (await call("admin", "POST", target, body)).status;
    source.create("there");
    west.create("here");
    for (const name of ["sales", "there", "here"]) expect(await create({ ...BODY, name })).toBe(409);
    expect(await create(BODY, MIRRORS.replace("sales", "nothing"))).toBe(404);
    expect(await create(BODY)).toBe(201);
    expect(await create({ ...BODY, storage_namespace: "local://other" })).toBe(409);
    source.create("sales-west-2");
    const end = Date.now() + 20_000;
    while (!west.repositories.has("sales-west") && Date.now() < end)
      await new Promise((go) => setTimeout(go, 50));
    source.create("sales-west");
    const ofMirror = { name: "third", region: "west", storage_namespace: "local://third" };
    expect(await create(ofMirror, MIRRORS.replace("sales", "sales-west"))).toBe(409);
  });

  it("under another source are not found, nor is a source that does not exist", async () => {
    await call("admin", "POST", MIRRORS, BODY);
    source.create("other");
    const other = MIRRORS.replace("sales", "other");
    expect((await call("admin", "GET", `${other}/sales-west`)).status).toBe(404);
    expect((await call("admin", "DELETE", `${other}/sales-west`)).status).toBe(404);
    expect((await call("admin", "GET", other)).json.results).toEqual([]);
    expect((await call("admin", "GET", MIRRORS.replace("sales", "nothing"))).status).toBe(404);
  });

  it("keep the default branch: patterns without it are refused", async () => {
    await call("admin", "POST", MIRRORS, BODY);
    for (const branches of [{ exclude: ["ma*"] }, { include: ["dev-*"] }, { include: [""] }])
      expect((await call("admin", "PUT", `${MIRRORS}/sales-west/branches`, branches)).status).toBe(400);
  });

  it("wait for a region that does not answer, and can be forgotten", async () => {
    await call("admin", "POST", MIRRORS, BODY);
    west.fault = () => "busy";
    const answer = await call("admin", "DELETE", `${MIRRORS}/sales-west`);
    expect([answer.status, answer.json]).toEqual([202, { state: "deleting" }]);
    expect((await call("admin", "GET", `${MIRRORS}/sales-west`)).json.state).toBe("deleting");
    expect((await call("admin", "DELETE", `${MIRRORS}/sales-west?forget=yes`)).status).toBe(400);
    expect((await call("admin", "DELETE", `${MIRRORS}/sales-west?forget=true`)).status).toBe(204);
    expect((await call("admin", "GET", MIRRORS)).json.results).toEqual([]);
  });

  it("answer 503 where a data server does not, and write nothing", async () => {
    west.fault = () => "refused";
    const answer = await call("admin", "POST", MIRRORS, BODY);
    expect([answer.status, answer.json.message]).toEqual([503, expect.stringContaining("does not answer")]);
    west.fault = () => "none";
    expect((await call("admin", "GET", MIRRORS)).json.results).toEqual([]);
  });
});

describe("the rows of permissions (M15)", { timeout: 60_000 }, () => {
  const CALLS = [
    ["creator", "POST", MIRRORS, BODY, 201],
    ["lister", "GET", MIRRORS, undefined, 200],
    ["lister", "GET", ALL, undefined, 200],
    ["lister", "GET", `${MIRRORS}/sales-west`, undefined, 200],
    ["editor", "PUT", `${MIRRORS}/sales-west/branches`, {}, 200],
    ["deleter", "DELETE", `${MIRRORS}/sales-west`, undefined, 204],
  ] as const;

  it("allow who has exactly what an operation needs, and refuse all others before anything is looked up", async () => {
    for (const [who, method, target, body, status] of CALLS) {
      const allowed = new Set<string>([
        who,
        ...(who === "editor" ? ["creator", "without0", "without2"] : []),
      ]);
      for (const other of [...Object.keys(PEOPLE), "viewer", "plain"]) {
        // Viewers may list; who creates may edit, too.
        if (allowed.has(other) || (other === "viewer" && who === "lister")) continue;
        const answer = await call(other, method, target, body);
        expect([other, method, target, answer.status]).toEqual([other, method, target, 401]);
      }
      expect((await call(undefined, method, target, body)).status).toBe(401);
      const answer = await call(who, method, target, body);
      expect([who, method, target, answer.status]).toEqual([who, method, target, status]);
    }
  });
});

it("without a region there is no replication API", async () => {
  await api.close();
  api = await startManagement();
  expect((await fetch(`${api.authorizer.userUrl}${MIRRORS}`)).status).toBe(404);
});

describe("a mirror is read-only (M5)", { timeout: 60_000 }, () => {
  const MIRROR = "arn:svc:fs:::repository/sales-west";
  const WRITES = [
    ["fs:CreateRepository", MIRROR],
    ["fs:UpdateRepository", MIRROR],
    ["fs:DeleteRepository", MIRROR],
    ["fs:ImportFromStorage", `${MIRROR}/object/x`],
    ["fs:WriteObject", `${MIRROR}/object/a/b`],
    ["fs:DeleteObject", `${MIRROR}/object/a/b`],
    ["fs:CreateCommit", `${MIRROR}/branch/main`],
    ["fs:CreateBranch", `${MIRROR}/branch/x`],
    ["fs:DeleteBranch", `${MIRROR}/branch/x`],
    ["fs:RevertBranch", `${MIRROR}/branch/main`],
    ["fs:CreateTag", `${MIRROR}/tag/v1`],
    ["fs:DeleteTag", `${MIRROR}/tag/v1`],
    ["fs:MirrorRepository", MIRROR],
    ["retention:SetGarbageCollectionRules", MIRROR],
    ["retention:PrepareGarbageCollectionCommits", MIRROR],
    ["retention:PrepareGarbageCollectionUncommitted", MIRROR],
    ["branches:SetBranchProtectionRules", MIRROR],
    ["pr:WritePullRequest", MIRROR],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west"],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west/below"],
  ] as const;
  const READS = [
    ["fs:ReadRepository", MIRROR],
    ["fs:ReadObject", `${MIRROR}/object/a`],
    ["fs:ListObjects", MIRROR],
    ["fs:ListBranches", MIRROR],
    ["branches:GetBranchProtectionRules", MIRROR],
    ["retention:GetGarbageCollectionRules", MIRROR],
  ] as const;
  const ask = (user: string, action: string, resource: string) =>
    api.authorizer.client.check({ user, required: { action, resource }, explain: true } as never) as Promise<{
      allowed: boolean;
    }>;

  it("for administrators, too: 20 kinds of writes are denied by a rule that names itself, and reads are not", async () => {
    for (const [action, resource] of WRITES)
      expect((await ask("admin", action, resource)).allowed).toBe(true);
    expect((await call("admin", "POST", MIRRORS, BODY)).status).toBe(201);
    for (const [action, resource] of WRITES) {
      const answer = await ask("admin", action, resource);
      expect([action, answer.allowed]).toEqual([action, false]);
      expect(JSON.stringify(answer)).toContain("mirror_is_read_only");
    }
    for (const [action, resource] of READS)
      expect([action, (await ask("admin", action, resource)).allowed]).toEqual([action, true]);
    for (const beside of ["arn:svc:fs:::repository/sales-west-2/object/a", "arn:svc:fs:::repository/sales"])
      expect((await ask("admin", "fs:WriteObject", beside)).allowed).toBe(true);
    const beside = "arn:svc:fs:::namespace/local://sales-west-2";
    expect((await ask("admin", "fs:AttachStorageNamespace", beside)).allowed).toBe(true);
    expect((await call("admin", "DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    for (const [action, resource] of WRITES)
      expect((await ask("admin", action, resource)).allowed).toBe(true);
  });

  it("towards data servers: the policy is effective for everybody, and is attached to nobody", async () => {
    const effective = async (user: string, query = "effective=true") => {
      const response = await fetch(
        `${api.authorizer.url}/api/v1/auth/users/${user}/policies?${query}&amount=1000`,
        { headers: { authorization: `Bearer ${api.authorizer.token}` } },
      );
      const { results } = (await response.json()) as { results: { name: string; id?: string }[] };
      return results.map(({ name, id }) => name ?? id);
    };
    expect(await effective("admin")).not.toContain("mirror_is_read_only");
    await call("admin", "POST", MIRRORS, BODY);
    for (const user of ["admin", "plain"]) {
      expect(await effective(user)).toContain("mirror_is_read_only");
      expect(await effective(user, "effective=false")).not.toContain("mirror_is_read_only");
    }
  });

  it("but for the user whose key fills it, as long as the key is that user's", async () => {
    await call("admin", "POST", MIRRORS, BODY);
    const { users, credentials } = api.authorizer.directory;
    await users.create({ username: "mirror-west" } as never);
    await users.attachPolicy("mirror-west", "FSFullAccess");
    const write = async () => (await ask("mirror-west", "fs:CreateBranch", `${MIRROR}/branch/main`)).allowed;
    expect(await write()).toBe(false);
    const key = { access_key_id: "AKIAJMIRRORXXXXXXXXQ", secret_access_key: "x".repeat(40) };
    await credentials.create("mirror-west", key);
    expect(await write()).toBe(true);
    expect((await ask("admin", "fs:CreateBranch", `${MIRROR}/branch/main`)).allowed).toBe(false);
    expect((await call("admin", "GET", `${MIRRORS}/sales-west`)).json.write_protection).toBe("enforced");
    await credentials.delete("mirror-west", key.access_key_id);
    expect(await write()).toBe(false);
  });

  it("by a policy whose name nobody can take", async () => {
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
    const create = api.authorizer.directory.policies.create({
      name: "mirror_is_read_only",
      statement,
    } as never);
    await expect(create).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("svcctl mirror", { timeout: 60_000 }, () => {
  const run = (...args: string[]) =>
    svcctl(["mirror", ...args], {
      env: {
        SVCCTL_SERVER_ENDPOINT_URL: `${api.authorizer.userUrl}/api/v1`,
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEYS.admin.access_key_id,
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEYS.admin.secret_access_key,
      },
    });

  it("creates, lists, shows, edits and deletes", async () => {
    const where = ["--region", "west", "--storage-namespace", "local://sales-west"];
    const made = await run("create", "sales", "sales-west", ...where);
    expect([made.code, made.stdout, made.stderr]).toEqual([
      0,
      expect.stringContaining("Mirror: sales-west of sales in west\nState: creating\n"),
      "",
    ]);
    expect((await run("list", "sales")).stdout).toMatch(/sales-west.*sales.*west.*creating/);
    expect((await run("list")).stdout).toMatch(/sales-west.*sales.*west.*creating/);
    const edited = await run("branches", "sales", "sales-west", "--exclude", "tmp-*, *-draft", "--json");
    expect(JSON.parse(edited.stdout).branches).toEqual({ include: [], exclude: ["tmp-*", "*-draft"] });
    expect((await run("show", "sales", "sales-west")).stdout).toContain("Commits: 0 recorded");
    expect((await run("delete", "sales", "sales-west")).stderr).toContain("aborted");
    expect((await run("delete", "sales", "sales-west", "--yes")).stdout).toBe(
      "Mirror 'sales-west' deleted\n",
    );
    const gone = await run("show", "sales", "sales-west");
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("has no mirror")]);
    expect((await run("delete", "sales", "sales-west", "--yes")).code).toBe(1);
  });

  it("says where a region has not answered yet", async () => {
    await call("admin", "POST", MIRRORS, BODY);
    west.fault = () => "busy";
    const waiting = await run("delete", "sales", "sales-west", "--yes");
    expect(waiting.stdout).toBe("Mirror 'sales-west' will be deleted once its region answers\n");
    expect((await run("delete", "sales", "sales-west", "--forget", "--yes")).code).toBe(0);
  });
});
