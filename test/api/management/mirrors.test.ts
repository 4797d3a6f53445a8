/** The replication API, on stand-ins of two data servers. */
import { describe, expect, it } from "vitest";
import { openedEach } from "../../opened.ts";
import { ALL, BODY, MIRRORS, MirrorsBed, PEOPLE } from "./mirrors-bed.ts";

const bed = openedEach(() => MirrorsBed.open());

describe("mirrors", { timeout: 60_000 }, () => {
  it("are created, shown, listed, edited and deleted, and the audit log says so", async () => {
    const made = await bed.call("admin", "POST", MIRRORS, BODY);
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
    const listed = await bed.call("admin", "GET", `${MIRRORS}?amount=1`);
    expect(listed.json.results.map(({ id }: { id: string }) => id)).toEqual(["sales-west"]);
    const edited = await bed.call("admin", "PUT", `${MIRRORS}/sales-west/branches`, { exclude: ["tmp-*"] });
    expect(edited.json.branches).toEqual({ include: [], exclude: ["tmp-*"] });
    const end = Date.now() + 60_000;
    while (!bed.west.repositories.has("sales-west") && Date.now() < end)
      await new Promise((go) => setTimeout(go, 50));
    expect(bed.west.repositories.get("sales-west")?.isReadOnly).toBe(true);
    expect((await bed.call("admin", "GET", `${MIRRORS}/sales-west`)).json.branches.exclude).toEqual([
      "tmp-*",
    ]);
    expect((await bed.call("admin", "DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    expect(bed.west.repositories.has("sales-west")).toBe(false);
    expect((await bed.call("admin", "GET", `${MIRRORS}/sales-west`)).status).toBe(404);
    const again = await bed.call("admin", "POST", MIRRORS, BODY);
    expect([again.status, again.json.message]).toEqual([409, expect.stringContaining("a moment ago")]);
    // Records are written a moment after the answer.
    const written = () => bed.api.audit().filter(({ event }) => event === "write");
    await expect
      .poll(() => written().map(({ operation, mirror, actor }) => [operation, mirror, actor]))
      .toEqual([
        ["createMirror", "sales-west", "admin"],
        ["editMirroredBranches", "sales-west", "admin"],
        ["deleteMirror", "sales-west", "admin"],
      ]);
    expect(JSON.stringify(written())).not.toContain("mirror-secret");
  });

  it("are listed over all repositories, with few of their heads", async () => {
    bed.source.create("other");
    const other = { ...BODY, name: "other-west", storage_namespace: "local://other-west" };
    expect((await bed.call("admin", "POST", MIRRORS.replace("sales", "other"), other)).status).toBe(201);
    expect((await bed.call("admin", "POST", MIRRORS, BODY)).status).toBe(201);
    const names = (answer: { json: { results: { id: string }[] } }) =>
      answer.json.results.map(({ id }) => id);
    expect(names(await bed.call("admin", "GET", ALL))).toEqual(["other-west", "sales-west"]);
    expect(names(await bed.call("admin", "GET", `${ALL}?search=sales`))).toEqual(["sales-west"]);
    expect(names(await bed.call("admin", "GET", `${ALL}?after=other-west`))).toEqual(["sales-west"]);
    expect(names(await bed.call("admin", "GET", MIRRORS))).toEqual(["sales-west"]);
    const { mirror_regions } = (await bed.call("plain", "GET", "/api/v1/config")).json;
    expect(mirror_regions).toEqual(["west"]);
  });

  it("are refused with every problem of what was asked for", async () => {
    const wrong = await bed.call("admin", "POST", MIRRORS, {
      name: "A",
      region: "east",
      storage_namespace: "x",
    });
    expect(wrong.status).toBe(400);
    for (const field of ["name", "region", "storage_namespace"]) expect(wrong.json.message).toContain(field);
    const more = await bed.call("admin", "POST", MIRRORS, { ...BODY, read_only: false });
    expect([more.status, more.json.message]).toEqual([400, expect.stringContaining("read_only")]);
    expect((await bed.call("admin", "POST", MIRRORS, { name: "sales-west" })).status).toBe(400);
  });

  it.each([null, [], { ...BODY, name: { toString: 1 } }, { ...BODY, storage_namespace: 1 }])(
    "are refused with the body %j: who may create them is asked before it is checked",
    async (body) => {
      const answer = await bed.call("admin", "POST", MIRRORS, body);
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(/expected/)]);
    },
  );

  it("are refused with names that no policy is held against", async () => {
    for (const field of ["name", "storage_namespace"]) {
      const long = await bed.call("admin", "POST", MIRRORS, { ...BODY, [field]: "x".repeat(4_096) });
      expect([long.status, long.json.message]).toEqual([400, "the resource is longer than 4096 bytes"]);
    }
  });
  it("are refused with a scheme that the region's server does not serve, where it tells", async () => {
    const elsewhere = { ...BODY, storage_namespace: "s3://bucket/sales-west" };
    const answer = await bed.call("admin", "POST", MIRRORS, elsewhere);
    expect([answer.status, answer.json.error_details ?? answer.json.message]).toEqual([
      400,
      expect.stringContaining("must begin with local://"),
    ]);
    bed.west.fault = (kind) => (kind === "GET config" ? "unknown" : "none");
    expect((await bed.call("admin", "POST", MIRRORS, elsewhere)).status).toBe(201);
  });

  it.each(["local://sales-west", "local://sales-west/", "local://sales-west/below", "local://sales-west//"])(
    "are refused where the namespace is that of another repository: %s",
    async (namespace) => {
      bed.west.create("taken", { namespace: "local://sales-west" });
      const answer = await bed.call("admin", "POST", MIRRORS, { ...BODY, storage_namespace: namespace });
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining("taken")]);
    },
  );

  it("are refused around another repository, and not beside one whose name begins alike", async () => {
    bed.west.create("taken", { namespace: "local://bucket/a/b" });
    for (const signs of ["local://bucket/*", "local://bucket/${user}"]) {
      expect((await bed.call("admin", "POST", MIRRORS, { ...BODY, storage_namespace: signs })).status).toBe(
        400,
      );
    }
    const around = { ...BODY, storage_namespace: "local://bucket/a" };
    expect((await bed.call("admin", "POST", MIRRORS, around)).status).toBe(400);
    const beside = { ...BODY, storage_namespace: "local://bucket/a/bc" };
    expect((await bed.call("admin", "POST", MIRRORS, beside)).status).toBe(201);
  });

  it("are refused where the name is taken at any server, or the source is unknown or a mirror", async () => {
    const create = async (body: object, target = MIRRORS) =>
      (await bed.call("admin", "POST", target, body)).status;
    bed.source.create("there");
    bed.west.create("here");
    for (const name of ["sales", "there", "here"]) expect(await create({ ...BODY, name })).toBe(409);
    expect(await create(BODY, MIRRORS.replace("sales", "nothing"))).toBe(404);
    expect(await create(BODY)).toBe(201);
    expect(await create({ ...BODY, storage_namespace: "local://other" })).toBe(409);
    bed.source.create("sales-west-2");
    const end = Date.now() + 60_000;
    while (!bed.west.repositories.has("sales-west") && Date.now() < end)
      await new Promise((go) => setTimeout(go, 50));
    bed.source.create("sales-west");
    const ofMirror = { name: "third", region: "west", storage_namespace: "local://third" };
    expect(await create(ofMirror, MIRRORS.replace("sales", "sales-west"))).toBe(409);
  });

  it("under another source are not found, nor is a source that does not exist", async () => {
    await bed.call("admin", "POST", MIRRORS, BODY);
    bed.source.create("other");
    const other = MIRRORS.replace("sales", "other");
    expect((await bed.call("admin", "GET", `${other}/sales-west`)).status).toBe(404);
    expect((await bed.call("admin", "DELETE", `${other}/sales-west`)).status).toBe(404);
    expect((await bed.call("admin", "GET", other)).json.results).toEqual([]);
    expect((await bed.call("admin", "GET", MIRRORS.replace("sales", "nothing"))).status).toBe(404);
  });

  it("keep the default branch: patterns without it are refused", async () => {
    await bed.call("admin", "POST", MIRRORS, BODY);
    for (const branches of [{ exclude: ["ma*"] }, { include: ["dev-*"] }, { include: [""] }])
      expect((await bed.call("admin", "PUT", `${MIRRORS}/sales-west/branches`, branches)).status).toBe(400);
  });

  it("wait for a region that does not answer, and can be forgotten", async () => {
    await bed.call("admin", "POST", MIRRORS, BODY);
    bed.west.fault = () => "busy";
    const answer = await bed.call("admin", "DELETE", `${MIRRORS}/sales-west`);
    expect([answer.status, answer.json]).toEqual([202, { state: "deleting" }]);
    expect((await bed.call("admin", "GET", `${MIRRORS}/sales-west`)).json.state).toBe("deleting");
    expect((await bed.call("admin", "DELETE", `${MIRRORS}/sales-west?forget=yes`)).status).toBe(400);
    expect((await bed.call("admin", "DELETE", `${MIRRORS}/sales-west?forget=true`)).status).toBe(204);
    expect((await bed.call("admin", "GET", MIRRORS)).json.results).toEqual([]);
  });

  it("answer 503 where a data server does not, and write nothing", async () => {
    bed.west.fault = () => "refused";
    const answer = await bed.call("admin", "POST", MIRRORS, BODY);
    expect([answer.status, answer.json.message]).toEqual([503, expect.stringContaining("does not answer")]);
    bed.west.fault = () => "none";
    expect((await bed.call("admin", "GET", MIRRORS)).json.results).toEqual([]);
  });
});

describe("the right to a mirror", { timeout: 60_000 }, () => {
  /** Takes the right away while the source is asked, once. */
  function meanwhile(work: () => Promise<unknown>): void {
    bed.source.isKnown = async () => {
      bed.source.isKnown = () => true;
      await work();
      return true;
    };
  }

  it("is that in the state of the write: who loses it while data servers are asked creates none", async () => {
    const { users } = bed.api.authorizer.directory;
    meanwhile(() => users.detachPolicy("creator", "P-creator"));
    expect((await bed.call("creator", "POST", MIRRORS, BODY)).status).toBe(401);
    expect((await bed.call("admin", "GET", MIRRORS)).json.results).toEqual([]);
  });

  it("is nobody's who is made inactive while data servers are asked", async () => {
    const { users } = bed.api.authorizer.directory;
    meanwhile(() => users.update("creator", { inactive: true }));
    expect((await bed.call("creator", "POST", MIRRORS, BODY)).status).toBe(401);
  });

  it("is that in the state of the write: who loses it while the source is asked edits none", async () => {
    const { users } = bed.api.authorizer.directory;
    await bed.call("admin", "POST", MIRRORS, BODY);
    await expect.poll(() => bed.west.repositories.has("sales-west")).toBe(true);
    meanwhile(() => users.detachPolicy("editor", "P-editor"));
    const target = `${MIRRORS}/sales-west/branches`;
    expect((await bed.call("editor", "PUT", target, { exclude: ["tmp-*"] })).status).toBe(401);
    const shown = await bed.call("admin", "GET", `${MIRRORS}/sales-west`);
    expect(shown.json.branches.exclude).toEqual([]);
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
        const answer = await bed.call(other, method, target, body);
        expect([other, method, target, answer.status]).toEqual([other, method, target, 401]);
      }
      expect((await bed.call(undefined, method, target, body)).status).toBe(401);
      const answer = await bed.call(who, method, target, body);
      expect([who, method, target, answer.status]).toEqual([who, method, target, status]);
    }
  });
});
