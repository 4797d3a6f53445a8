/** The client's package in an empty folder, on the Node of this clone and on the machine's own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CLONE_BIN,
  type Consumer,
  checkTarball,
  command,
  environment,
  installPackages,
  machinesNode,
  manifestOf,
  ROOT,
} from "./installed.ts";

let consumer: Consumer;
let authorizer: TestAuthorizer;
beforeAll(async () => {
  consumer = installPackages("client");
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
});
afterAll(async () => {
  consumer.remove();
  await authorizer.close();
});

const write = (name: string, text: string): void => writeFileSync(join(consumer.folder, name), text);

/** Runs a program of the consumer's; this process must stay free to answer it. */
async function run(node: string, file: string): Promise<string> {
  const child = spawn(node, [file], {
    cwd: consumer.folder,
    env: { ...environment(), URL_OF_SERVICE: authorizer.url, TOKEN: authorizer.token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  return output;
}

describe("the client's package", () => {
  it("is under 114 KB and depends on nothing", () => {
    expect(statSync(join(consumer.packages, "client.tgz")).size).toBeLessThan(114_000);
    expect(manifestOf(join(consumer.folder, "node_modules", "@svc-authorizer", "client"))).not.toHaveProperty(
      "dependencies",
    );
    expect(
      readdirSync(join(consumer.folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ).toEqual(["@svc-authorizer"]);
  });

  it("has its files in one folder, in JavaScript with types", () => {
    const folder = join(consumer.folder, "node_modules", "@svc-authorizer", "client");
    expect(readdirSync(folder).sort()).toEqual(
      ["LICENSE", "README.md", "THIRD-PARTY-NOTICES.md", "dist", "package.json"].sort(),
    );
    const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["client.js", "client.d.ts", join("sql", "kysely.js")]));
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([]);
  });

  it("carries the license of what is bundled into it", () => {
    const folder = join(consumer.folder, "node_modules", "@svc-authorizer", "client");
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), "utf8");
    expect(notices.match(/^## .*$/gm)).toEqual([expect.stringMatching(/^## ipaddr\.js \S+ \(MIT\)$/)]);
    expect(notices).toContain("Permission is hereby granted, free of charge");
  });

  it.each([
    ["the clone's Node", join(CLONE_BIN, "node")],
    ["the machine's Node", machinesNode()],
  ])("calls a running service, and its middleware refuses and allows, on %s", async (_, node) => {
    write(
      "use.mjs",
      `import { createServer } from "node:http";
import { AuthorizerClient, ClientError } from "@svc-authorizer/client";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded";
import { requirePermission } from "@svc-authorizer/client/http";
const point = await EmbeddedAuthorizer.follow({ url: process.env.URL_OF_SERVICE, token: process.env.TOKEN });
const client = new AuthorizerClient({ url: process.env.URL_OF_SERVICE, token: process.env.TOKEN });
const object = "arn:svc:fs:::repository/r/object/o";
const answers = [await client.allows("viewer", "fs:ReadObject", object), await client.allows("viewer", "fs:WriteObject", object)];
for await (const index of client.filterStream({ user: "viewer", action: "fs:ReadObject" }, [object])) answers.push(index);
const guarded = requirePermission(client, { action: "fs:WriteObject", resource: object, user: (request) => request.headers["x-user"] },
  (_, response) => response.end("passed"));
const server = createServer(guarded).listen(0, "127.0.0.1", async () => {
  const url = "http://127.0.0.1:" + server.address().port;
  const status = async (headers) => (await fetch(url, { headers })).status;
  console.log(JSON.stringify([answers, await status({}), await status({ "x-user": "viewer" }), await status({ "x-user": "developer" }), ClientError.name, point.allows("viewer", "fs:ReadObject", object), point.allows("viewer", "fs:WriteObject", object)]));
  point.close();
  server.closeAllConnections();
  server.close();
});`,
    );
    expect(JSON.parse(await run(node ?? "node", "use.mjs"))).toEqual([
      [true, false, 0],
      401,
      403,
      200,
      "ClientError",
      true,
      false,
    ]);
  });

  it.each(["nodenext", "bundler"])(
    "has types for a strict project under %s, its own checked too",
    (resolution) => {
      write(
        "use.ts",
        `import { type api, AuthorizerClient, type ClientError } from "@svc-authorizer/client";
import { requirePermission } from "@svc-authorizer/client/express";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded";
import { planToSql } from "@svc-authorizer/client/sql";
const client = new AuthorizerClient({ url: "http://127.0.0.1:8001", token: "t", onError: (error: ClientError) => error.status === 0 });
const allowed: boolean = await client.allows("alice", "fs:ReadObject", "*");
const plan: api.Plan = await client.plan({ user: "alice", action: "fs:ReadObject" });
// @ts-expect-error a filter has no such member
await client.filter({ user: "alice", action: "fs:ReadObject", resourcess: [] });
requirePermission<{ user?: string }>(client, { action: "fs:ReadObject", resource: "*", user: (request) => request.user });
export const where: string = planToSql(plan, { resource: ["arn:svc:fs:::", { column: "name" }] }, "sqlite").sql;
const point: EmbeddedAuthorizer = await EmbeddedAuthorizer.follow({ url: "http://127.0.0.1:8001", token: "t" });
requirePermission<{ user?: string }>(point, { action: "fs:ReadObject", resource: "*", user: (request) => request.user });
export { allowed };`,
      );
      const [module, moduleResolution] =
        resolution === "bundler" ? ["esnext", "bundler"] : ["nodenext", "nodenext"];
      const options = [
        "--noEmit",
        "--strict",
        "--module",
        module,
        "--moduleResolution",
        moduleResolution,
        "--target",
        "es2022",
      ];
      const checks = ["--skipLibCheck", "false", "--exactOptionalPropertyTypes", "--types", ""];
      expect(command(consumer.folder, join(CLONE_BIN, "tsc"), ...options, ...checks, "use.ts")).toBe("");
    },
  );

  it("compiles every example of docs/client.md", () => {
    const page = readFileSync(join(ROOT, "docs", "client.md"), "utf8");
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThan(4);
    const imports = [...new Set(blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []))].filter(
      (line) => !line.includes('"express"'),
    );
    const bodies = blocks.map((block) => `{\n${block.replace(/^import .*$\n/gm, "")}\n}`);
    write(
      "docs.ts",
      `${imports.join("\n")}
import type { ClientContext } from "@svc-authorizer/client";
declare namespace express { interface Request { params: { name: string }; user?: { name: string } } }
declare const express: () => { get(path: string, ...handlers: unknown[]): void };
declare const process: { env: Record<string, string | undefined> };
declare const [url, token, log, handler, context]: [string, string, { error(error: unknown): void }, () => void, ClientContext];
declare const repositories: readonly { readonly name: string }[];
declare const pool: { query(sql: string, params: readonly unknown[]): Promise<unknown> };
declare const client: AuthorizerClient;
${bodies.join("\n")}`,
    );
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", ""];
    expect(command(consumer.folder, join(CLONE_BIN, "tsc"), ...options, "docs.ts")).toBe("");
  });
});

it("is a package that its registry and compilers understand", () => {
  checkTarball(consumer, "client");
});
