/**
 * A user with rights to one repository of a real data server with one key tries everything by which that key, an
 * administrator's, could give it more (spec/exchange §4), and owns nothing else afterwards.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../api/forward-auth/ask.ts";
import { signedBy } from "../../exchange/start-exchange.ts";
import { missing } from "../../gateways/proxy-program.ts";
import { type BehindOneKey, OF_OTHERS, startBehindOneKey } from "./behind-one-key.ts";
import { givenDataServer } from "./given-data-server.ts";

const given = givenDataServer();
const MAIN = "/repositories/data/branches/main";
const HOOK = `name: theft
on:
  pre-commit:
hooks:
  - id: theft
    type: lua
    properties:
      script: |
        local lakefs = require("lakefs")
        lakefs.create_tag("other", "main", "stolen")
`;
/** Keys that the data server, or whatever stands before it, could read as one below `_lakefs_actions/`. */
const HOOK_KEYS = [
  "_lakefs_actions/a.yaml",
  "%5Flakefs_actions/a.yaml",
  "_lakefs_actions%2Fa.yaml",
  "/_lakefs_actions/a.yaml",
];

interface Attempt {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Attempts by the main API; ADDRESS and CHECKSUM are those of the object of others. */
const ATTEMPTS: readonly Attempt[] = [
  ...HOOK_KEYS.flatMap((key): readonly Attempt[] => [
    { what: "hooks", method: "POST", path: `${MAIN}/objects?path=${key}`, body: HOOK },
    { what: "hooks", method: "PUT", path: `${MAIN}/objects?path=${key}`, body: "STAGED" },
    { what: "hooks", method: "PUT", path: `${MAIN}/staging/backing?path=${key}`, body: "LINKED" },
    { what: "hooks", method: "GET", path: `${MAIN}/staging/backing?path=${key}` },
    { what: "hooks", method: "POST", path: `${MAIN}/staging/pmpu?path=${key}&parts=1` },
    {
      what: "hooks",
      method: "POST",
      path: `${MAIN}/objects/copy?dest_path=${key}`,
      body: { src_path: "plain.yaml", src_ref: "main" },
    },
  ]),
  { what: "staging by address", method: "PUT", path: `${MAIN}/objects?path=stolen`, body: "STAGED" },
  {
    what: "staging by address",
    method: "PUT",
    path: `${MAIN}/staging/backing?path=stolen`,
    body: "LINKED",
  },
  ...(["common_prefix", "object"] as const).map((type) => ({
    what: "imports",
    method: "POST",
    path: `${MAIN}/import`,
    body: {
      paths: [{ path: "local://other/", destination: "stolen/", type }],
      commit: { message: "stolen" },
    },
  })),
  {
    what: "commit records",
    method: "POST",
    path: "/repositories/data/commits",
    body: { commit_id: "1", version: 1, committer: "admin", message: "m", metarange_id: "x", parents: [] },
  },
  { what: "refs restore", method: "PUT", path: "/repositories/data/refs/restore", body: {} },
  { what: "refs restore", method: "POST", path: "/repositories/data/restore", body: {} },
  { what: "refs restore", method: "PUT", path: "/repositories/other/refs/restore", body: {} },
  { what: "lists", method: "GET", path: "/repositories/other/branches" },
  { what: "lists", method: "GET", path: "/repositories/other/refs/main/objects/ls" },
  { what: "lists", method: "GET", path: "/repositories/other/refs/main/objects/ls?presign=true" },
  { what: "copies", method: "GET", path: "/repositories/other/refs/main/objects?path=secret.txt" },
  {
    what: "copies",
    method: "POST",
    path: "/repositories/other/branches/main/objects/copy?dest_path=copied",
    body: { src_path: "secret.txt" },
  },
  {
    what: "presigned answers",
    method: "GET",
    path: "/repositories/other/refs/main/objects?path=secret.txt&presign=true",
  },
  {
    what: "presigned answers",
    method: "GET",
    path: "/repositories/other/refs/main/objects/stat?path=secret.txt&presign=true",
  },
  {
    what: "presigned answers",
    method: "GET",
    path: "/repositories/other/branches/main/staging/backing?path=a&presign=true",
  },
  { what: "users", method: "GET", path: "/auth/users" },
  { what: "users", method: "POST", path: "/auth/users/admin/credentials" },
  { what: "users", method: "POST", path: "/auth/users", body: { id: "second" } },
  { what: "set-up", method: "POST", path: "/setup_lakefs", body: { username: "second" } },
];

/** Attempts through S3: method, target and further headers. */
const BY_S3: readonly (readonly [string, string, Record<string, string>])[] = [
  ...HOOK_KEYS.flatMap((key): readonly (readonly [string, string, Record<string, string>])[] => [
    ["PUT", `/data/main/${key}`, {}],
    ["PUT", `/data/main/${key}`, { "x-amz-copy-source": "/data/main/plain.yaml" }],
    ["POST", `/data/main/${key}?uploads=`, {}],
    ["PUT", `/data/main/${key}?partNumber=1&uploadId=u`, {}],
  ]),
  ["GET", "/other/main/secret.txt", {}],
  ["GET", "/other?list-type=2", {}],
  ["PUT", "/data/main/stolen", { "x-amz-copy-source": "/other/main/secret.txt" }],
  ["PUT", "/data/main/stolen", { "x-amz-copy-source": "other%2Fmain%2Fsecret.txt" }],
  ["PUT", "/data/main/stolen", { "x-amz-copy-source": "/data/../other/main/secret.txt" }],
  ["GET", "/data/../other/main/secret.txt", {}],
];

describe.skipIf(given === undefined || missing("nginx") !== undefined)(
  "attacks on a data server with one user",
  () => {
    let servers: BehindOneKey;
    let address = "";
    let checksum = "";
    beforeAll(async () => {
      servers = await startBehindOneKey(given as NonNullable<typeof given>);
      const stat = "/repositories/other/refs/main/objects/stat?path=secret.txt";
      const known = await (await servers.api("administrator", "GET", stat)).json();
      ({ physical_address: address, checksum } = known as { physical_address: string; checksum: string });
      expect((await servers.upload("writer", "data", "plain.yaml", HOOK)).status).toBe(201);
    });
    afterAll(() => servers?.close());

    /** The body with what an attacker may have learned of the object of others. */
    function bodyOf(body: unknown): unknown {
      const staged = { physical_address: address, checksum, size_bytes: OF_OTHERS.length };
      if (body === "STAGED") return staged;
      return body === "LINKED" ? { ...staged, staging: { physical_address: address } } : body;
    }

    it.each([...new Set(ATTEMPTS.map(({ what }) => what))])("by %s are refused", async (kind) => {
      for (const { method, path, body } of ATTEMPTS.filter(({ what }) => what === kind)) {
        const { status } = await servers.api("writer", method, path, bodyOf(body));
        expect([400, 401, 403, 404, 405], `${method} ${path}`).toContain(status);
      }
    });

    it.each(BY_S3)("through S3 by %s %s are refused %j", async (method, target, more) => {
      const { uri, headers } = signedBy("writer", method, target, { headers: more });
      const { status } = await ask(servers.url, uri, [...headers, ["content-length", "0"]], method);
      expect([400, 403]).toContain(status);
    });

    it("give no list of more than the own repository", async () => {
      for (const query of ["", "?prefix=o", "?search=other", "?after=data", "?amount=1", "?amount=1000"]) {
        const answer = await servers.api("writer", "GET", `/repositories${query}`);
        const { results } = (await answer.json()) as { results: { id: string }[] };
        for (const { id } of results) expect(id).toBe("data");
      }
    });

    it("left nothing: no run of a hook, no tag, no content and no commit of others", async () => {
      expect((await servers.api("writer", "POST", `${MAIN}/commits`, { message: "first" })).status).toBe(201);
      // A hook would run on a new branch: the data server remembers for a while that a branch had none.
      const branch = { name: "new", source: "main" };
      expect((await servers.api("writer", "POST", "/repositories/data/branches", branch)).status).toBe(201);
      const made = "/repositories/data/branches/new";
      await servers.api("writer", "POST", `${made}/objects?path=a`, "a");
      expect((await servers.api("writer", "POST", `${made}/commits`, { message: "last" })).status).toBe(201);
      const results = async (path: string) => {
        const answer = await servers.api("administrator", "GET", path);
        expect(answer.status, path).toBe(200);
        return ((await answer.json()) as { results: Record<string, unknown>[] }).results;
      };
      expect(await results("/repositories/data/actions/runs")).toEqual([]);
      expect(await results("/repositories/other/tags")).toEqual([]);
      expect(await results("/repositories/other/refs/main/commits")).toHaveLength(1);
      const held = await results("/repositories/data/refs/main/objects/ls");
      expect(held.map(({ path }) => path)).toEqual(["plain.yaml"]);
      expect(JSON.stringify(held)).not.toContain("local://other");
      const others = await results("/repositories/other/refs/main/objects/ls");
      expect(others.map(({ path }) => path)).toEqual(["secret.txt"]);
    });

    it("would have worked: an administrator may name the address, and reads what is there", async () => {
      for (const [row, path, body] of [
        ["objects", "known", "STAGED"],
        ["staging/backing", "linked", "LINKED"],
      ] as const) {
        const made = await servers.api("administrator", "PUT", `${MAIN}/${row}?path=${path}`, bodyOf(body));
        expect([200, 201]).toContain(made.status);
        const read = await servers.api("writer", "GET", `/repositories/data/refs/main/objects?path=${path}`);
        expect(await read.text()).toBe(OF_OTHERS);
      }
    });

    it("would have worked: the same hook of an administrator runs as the one user", async () => {
      const path = "_lakefs_actions/a.yaml";
      expect((await servers.upload("administrator", "data", path, HOOK)).status).toBe(201);
      await servers.api("administrator", "POST", `${MAIN}/commits`, { message: "a hook" });
      // On another branch: the data server remembers for a while that this one had no hooks.
      const branch = { name: "hooked", source: "main" };
      await servers.api("administrator", "POST", "/repositories/data/branches", branch);
      const hooked = "/repositories/data/branches/hooked";
      await servers.api("administrator", "POST", `${hooked}/objects?path=a`, "a");
      await servers.api("administrator", "POST", `${hooked}/commits`, { message: "runs it" });
      const tags = await servers.api("administrator", "GET", "/repositories/other/tags");
      expect(await tags.json()).toMatchObject({ results: [{ id: "stolen" }] });
    });
  },
);
