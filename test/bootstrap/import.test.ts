import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import type { DirectoryState } from "../../src/directory/batch.ts";
import { policy } from "../directory/backends.ts";
import { runCommand, storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

const KEY = "0123456789abcdef0123456789abcdef-key";

let source: TestAuthorizer;
let folder: string;
beforeEach(async () => {
  folder = newFolder();
  const audit = join(folder, "source-audit.log");
  source = await startAuthorizer({
    config: { "authorizer.guards": "lenient", "authorizer.audit.output": audit },
  });
});
afterEach(async () => {
  await source.close();
  removeFolders();
});

const items = (more: Record<string, string> = {}) => ({ ...storeItems(folder, KEY), ...more });

function importFrom(
  from: string,
  args: readonly string[] = [],
  more: Record<string, string> = {},
  token = source.token,
) {
  return runCommand(["import", "--from", from, "--token-env", "TOKEN", ...args], items(more), {
    TOKEN: token,
  });
}
const importAll = (args?: readonly string[], more?: Record<string, string>) =>
  importFrom(`${source.url}/api/v1`, args, more);

async function imported(): Promise<DirectoryState> {
  const { values } = configFromObject(items());
  const data = await openData(values, openLog(values));
  try {
    return await data.directory.batches.state({ secrets: true });
  } finally {
    await data.close();
  }
}

/** Returns the part of a state that the API shows: everything but properties, marks and resources. */
function plain(state: DirectoryState) {
  return {
    users: [...state.users.values()].map(({ user, groups, policies, credentials, externalPrincipals }) => {
      const { properties: _, ...shown } = user.value;
      return {
        ...shown,
        groups: [...groups.keys()],
        policies: [...policies.keys()],
        credentials: [...credentials].map(([id, { value }]) => [id, value]),
        principals: [...externalPrincipals.keys()],
      };
    }),
    groups: [...state.groups.values()].map(({ group, policies }) => [group.value, [...policies.keys()]]),
    policies: [...state.policies.values()].map(({ value }) => value),
  };
}

async function fillSource(): Promise<void> {
  const { users, groups, policies, credentials, externalPrincipals, batches } = source.directory;
  const names = ["a b", "a+b@example.org", "日本/語|x", "100", "ACL(_-_)x"];
  for (const username of names) {
    await users.create({ username, external_id: `sso|${username}`, friendly_name: `Friendly ${username}` });
    await credentials.create(username, {
      access_key_id: `K ${username}`,
      secret_access_key: `s/+=${username}`,
    });
    await externalPrincipals.create(username, `arn:aws:sts::1:assumed-role/${username}`);
    await groups.create({ name: `G ${username}`, description: "a group" });
    await groups.addMember(`G ${username}`, "a b");
  }
  const condition = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
  const [statement] = policy("P").statement;
  await policies.create({ name: "ACL(_-_)G", statement: [{ ...statement!, condition }], acl: "Read" });
  await policies.create(policy("P 2", '["arn:svc:fs:::repository/a","*"]'));
  await users.attachPolicy("a b", "P 2");
  await groups.attachPolicy("G 100", "ACL(_-_)G");
  // More than a page, and an exactly full one.
  await batches.apply(
    Array.from({ length: 2_000 - names.length }, (_, index) => ({
      op: "put_user" as const,
      user: { username: `user-${index}` },
    })),
    { managed: false },
  );
}

describe("import", () => {
  it("copies everything that the API of a running service shows, secrets included", async () => {
    await fillSource();
    const { code, stdout } = await importAll(["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: false,
      counts: {
        users: 2_000,
        groups: 5,
        policies: 2,
        memberships: 5,
        attachments: 2,
        credentials: 5,
        external_principals: 5,
      },
    });
    expect(plain(await imported())).toEqual(plain(await source.directory.batches.state({ secrets: true })));
    expect((await runCommand(["check-store"], items())).stdout).toBe("the store is sound\n");
  });

  it("only reads with --dry-run, and leaves keys out with --no-secrets", async () => {
    await source.directory.users.create({ username: "alice" });
    await source.directory.credentials.create("alice");
    expect((await importAll(["--dry-run"])).stdout).toBe("would import 1 users, 1 credentials\n");
    expect((await imported()).users.size).toBe(0);
    const { stdout } = await importAll(["--no-secrets"]);
    expect(stdout).toBe("imported 1 users, 1 left out credentials\n");
    expect((await imported()).users.get("alice")?.credentials.size).toBe(0);
  });

  it.each([["--with-secrets"], ["--no-secrets"]])(
    "gives nobody more than the source does, with %s",
    async (how) => {
      const { users, credentials, externalPrincipals } = source.directory;
      for (const username of ["alice", "leaver"]) {
        await users.create({ username });
        await credentials.create(username);
        await externalPrincipals.create(username, `of ${username}`);
      }
      await credentials.create("alice", { expires_in: 3600 });
      await users.update("leaver", { inactive: true });
      const { code, stdout } = await importAll([how]);
      expect(code).toBe(0);
      expect(stdout).toBe(
        how === "--with-secrets"
          ? "imported 2 users, 1 credentials, 1 left out expiring credentials, 1 left out credentials of inactive users, 2 external principals\n"
          : "imported 2 users, 3 left out credentials, 2 external principals\n",
      );
      const state = await imported();
      expect(state.users.get("leaver")?.user.value).toMatchObject({ username: "leaver", inactive: true });
      expect(state.users.get("leaver")?.credentials.size).toBe(0);
      expect(state.users.get("alice")?.credentials.size).toBe(how === "--with-secrets" ? 1 : 0);
      // And again, onto users who are active here.
      const { values } = configFromObject(items());
      const data = await openData(values, openLog(values));
      await data.directory.users.update("leaver", { inactive: false });
      await data.close();
      expect((await importAll([how, "--merge"])).code).toBe(0);
      expect((await imported()).users.get("leaver")?.user.value).toMatchObject({ inactive: true });
    },
  );

  it("refuses a store that is not empty, unless it is to be added to", async () => {
    await source.directory.users.create({ username: "alice" });
    await importAll();
    await source.directory.users.create({ username: "bob" });
    const refused = await importAll();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("reset --yes");
    expect((await importAll(["--merge"])).code).toBe(0);
    expect([...(await imported()).users.keys()]).toEqual(["alice", "bob"]);
  });

  it("refuses ARNs of another partition, naming the policy and the setting", async () => {
    await source.directory.policies.create(policy("P", "arn:svc:fs:::repository/a"));
    const { code, stderr } = await importAll([], { "authorizer.partition": "lakefs" });
    expect(code).toBe(2);
    expect(stderr).toContain('policy "P" has ARNs of partition svc');
    expect((await imported()).policies.size).toBe(0);
  });

  it("that was refused for its partition can be run again with the right one, which the store keeps", async () => {
    await source.directory.policies.create(policy("P", "arn:svc:fs:::repository/a"));
    expect((await importAll([], { "authorizer.partition": "lakefs" })).code).toBe(2);
    expect((await importAll()).stdout).toContain("1 policies");
    const other = items({ "authorizer.partition": "lakefs" });
    const refused = await runCommand(["export"], other);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('authorizer.partition is "lakefs", but this store was made with "svc"');
    expect((await runCommand(["check-store"], other)).stdout).toBe("the store is sound\n");
    expect((await importAll(["--merge"])).code).toBe(0);
  });

  it("imports nothing where one thing is refused, and names it", async () => {
    await source.directory.users.create({ username: "fine" });
    await source.directory.users.create({ username: "st*r" });
    const { code, stderr } = await importAll();
    expect(code).toBe(2);
    expect(stderr).toContain('user "st*r"');
    expect(stderr).toContain("authorizer.guards lenient");
    expect((await imported()).users.size).toBe(0);
    expect((await importAll([], { "authorizer.guards": "lenient" })).code).toBe(0);
  });

  it("leaves a store that a later bootstrap neither fills up nor gives an administrator", async () => {
    await source.directory.users.create({ username: "alice" });
    await importAll([], { "authorizer.bootstrap": "external" });
    const started = await startAuthorizer({ config: { ...items(), "authorizer.bootstrap": "external" } });
    const state = await started.directory.batches.state({ secrets: false });
    await started.close();
    expect([[...state.users.keys()], state.groups.size, state.policies.size]).toEqual([["alice"], 0, 0]);
  });

  it("says what is wrong with address and token", async () => {
    const wrongToken = await importFrom(
      `${source.url}/api/v1`,
      [],
      {},
      "another token, long enough to be one",
    );
    expect(wrongToken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the token is not accepted"),
    });
    expect(wrongToken.stderr).not.toContain("another token");
    expect((await importFrom(source.url)).stderr).toContain("/api/v1");
    expect(await importFrom("ftp://x")).toMatchObject({ code: 2, stderr: expect.stringContaining("--from") });
    expect(await importFrom(source.url, [], {}, "")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("TOKEN"),
    });
  });
});

describe("an API that misbehaves", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function answering(answer: (path: string) => [status: number, body: string]): Promise<string> {
    server = createServer((request, response) => {
      const [status, body] = answer(request.url ?? "");
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  }

  const page = (results: unknown[], next_offset = "") =>
    [200, JSON.stringify({ results, pagination: { next_offset } })] as [number, string];

  it.each<[string, (path: string) => [number, string], string]>([
    ["whose pages never end", () => page([], "same"), "the same page again"],
    ["that sends no JSON", () => [200, "<html>"], "is not what a data-server API sends"],
    [
      "that sends users without names",
      (path) => page(path.includes("/users?") ? [{}] : []),
      "without a usable username",
    ],
    [
      "that fails in the midst",
      (path) => (path.includes("/groups") ? [500, "{}"] : page([])),
      "answered 500",
    ],
  ])("%s is given up with a clear message", async (_what, answer, message) => {
    const { code, stderr } = await importFrom(await answering(answer));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    expect((await imported()).users.size).toBe(0);
  });

  it("that lists no policies gives those that are attached", async () => {
    const attached = { name: "ACL(_-_)G", statement: policy("P").statement, acl: "Read", creation_date: 7 };
    const from = await answering((path) => {
      if (path.startsWith("/api/v1/auth/policies?")) return [501, '{"message":"Not implemented"}'];
      if (path.includes("/auth/groups/G/policies")) return page([attached]);
      if (path.includes("/auth/groups?")) return page([{ name: "G", creation_date: 3 }]);
      if (path.includes("/external/")) return [501, "{}"];
      return page(path.includes("/auth/users?") ? [{ username: "u", creation_date: 5, email: "" }] : []);
    });
    const { code, stderr } = await importFrom(from);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("does not serve external principals"),
    });
    expect(plain(await imported())).toMatchObject({
      users: [{ username: "u", creation_date: 5 }],
      groups: [[{ name: "G", creation_date: 3 }, ["ACL(_-_)G"]]],
      policies: [attached],
    });
  });
});
