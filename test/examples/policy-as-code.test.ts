/** The workflow of examples/policy-as-code: its scripts, run by bash as a runner does, with the real svcctl and service. */

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { devNull } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { closedAfterAll } from "../closed-after-all.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = join(ROOT, "examples", "policy-as-code");
const KEY = {
  access_key_id: "AKIAJADMINEXAMPLEADQ",
  secret_access_key: "admin-secret-only-for-this-test-0123456789",
};

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const workflow = parse(readFileSync(join(EXAMPLE, ".github", "workflows", "access.yml"), "utf8"));
const stepsOf = (job: string): readonly Step[] => workflow.jobs[job].steps;

let folder: string;

const authorizer = await closedAfterAll(
  startAuthorizer({
    config: { "authorizer.audit.output": devNull },
    dataset: {
      format: 1,
      preconfigured: true,
      users: [{ username: "admin", groups: ["Admins"], credentials: [KEY] }],
    },
  }),
);
beforeEach(async () => {
  await authorizer.reset();
  folder = temporaryFolder();
  for (const part of ["access", "policy-tests"]) {
    cpSync(join(EXAMPLE, part), join(folder, part), { recursive: true });
  }
});

/** Runs the script of a step as a runner does. */
async function runStep(
  job: string,
  find: (step: Step) => boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const step = stepsOf(job).find(find);
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "svcctl");
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "packages", "svcctl", "bin", "svcctl.cjs")}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  const args = ["-e", "-o", "pipefail", "-c", step?.run ?? "exit 99"];
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: folder,
    GITHUB_REPOSITORY: "acme/access",
    GITHUB_OUTPUT: join(folder, "output"),
    SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY.access_key_id,
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEY.secret_access_key,
    ...more,
  };
  return new Promise((resolve) => {
    const done = (error: Error | null, stdout: string, stderr: string): void => {
      const { code = 0 } = (error ?? {}) as { code?: number };
      resolve({ code, output: stdout + stderr });
    };
    execFile("bash", args, { cwd: folder, env }, done);
  });
}

interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

/** Answers calls about the comments of pull request 7 as GitHub does, for a `gh` that takes it for its proxy. */
async function startComments(comments: Comment[]): Promise<string> {
  const server = createServer(async (request, response) => {
    const sent = await textOf(request);
    const { pathname } = new URL(request.url ?? "", "http://api.github.localhost");
    const id = /^\/repos\/acme\/access\/issues\/comments\/(\d+)$/.exec(pathname)?.[1];
    const old = comments.find((one) => String(one.id) === id);
    const isList = pathname === "/repos/acme/access/issues/7/comments";
    response.setHeader("content-type", "application/json");
    if (request.method === "GET" && isList) return void response.end(JSON.stringify(comments));
    const { body } = JSON.parse(sent || "{}") as { body: string };
    if (request.method === "PATCH" && old !== undefined) old.body = body;
    else if (request.method === "POST" && isList) {
      comments.push({ id: comments.length + 1, user: { login: "github-actions[bot]" }, body });
      response.statusCode = 201;
    } else response.statusCode = 404;
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HAS_GH = spawnSync("gh", ["--version"]).status === 0;
const plan = () => runStep("plan", ({ name }) => name === "Plan");
const apply = () => runStep("apply", ({ run }) => run?.includes("svcctl apply") === true);
const text = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("the workflow of examples/policy-as-code", () => {
  it("has scripts that a shell can read", () => {
    for (const job of ["plan", "apply"]) {
      for (const { run = "" } of stepsOf(job)) execFileSync("bash", ["-n", "-c", run]);
    }
  });

  it("checks, comments what would change, and applies it after the merge", async () => {
    const lint = await runStep("plan", ({ run }) => run?.includes("policy lint") === true);
    expect(lint).toMatchObject({ code: 0 });
    expect(await plan()).toEqual({ code: 0, output: "" });
    expect(text("output")).toBe("code=2\n");
    expect(text("body.md")).toMatch(/^<!-- access plan -->\n### Access\n\n/);
    expect(text("body.md")).toContain("| add | membership | ana in Analysts | gives ReadSales |");
    expect(text("body.md")).toMatch(
      /```diff\n\+ fs:ReadObject, fs:ListObjects on arn:svc:fs:::repository\/sales\/\*\n/,
    );

    expect(await apply()).toEqual({ code: 0, output: expect.stringContaining("applied: 5 added") });
    expect((await authorizer.directory.groups.get("Analysts")).description).toBe("Read sales data");
    expect(await plan()).toMatchObject({ code: 0 });
    expect(text("body.md")).toContain("**nothing to change**");
  });

  it("fails where a policy decides otherwise than its tests say", async () => {
    const test = () => runStep("plan", ({ run }) => run?.includes("policy test") === true);
    expect(await test()).toMatchObject({ code: 0 });
    const policies = join(folder, "access", "policies.yaml");
    writeFileSync(policies, text("access/policies.yaml").replace("fs:ListObjects]", "fs:WriteObject]"));
    expect(await test()).toEqual({ code: 1, output: expect.stringContaining("they write nothing") });
  });

  it("comments why files cannot be applied, and fails", async () => {
    const people = join(folder, "access", "people.yaml");
    writeFileSync(people, text("access/people.yaml").replace("[ReadSales]", "[ReadNothing]"));
    expect(await plan()).toMatchObject({ code: 0 });
    expect(text("output")).toBe("code=1\n");
    expect(text("body.md")).toContain("access/people.yaml:5:16: there is no policy of this name");
    const failed = await runStep("plan", ({ name }) => name?.startsWith("Fail") === true);
    expect(failed).toEqual({ code: 1, output: expect.stringContaining("there is no policy of this name") });
  });
});

describe.skipIf(!HAS_GH)("the comment of examples/policy-as-code", () => {
  it("is made once, and then replaced; comments of others stay", async () => {
    const others: Comment = { id: 1, user: { login: "ana" }, body: "<!-- access plan --> I quote" };
    const comments = [others];
    const proxy = await startComments(comments);
    const gh = { GH_HOST: "github.localhost", GH_TOKEN: "t", PULL: "7", http_proxy: proxy };
    const comment = () => runStep("plan", ({ name }) => name === "Comment", gh);
    await plan();
    expect(await comment()).toEqual({ code: 0, output: "" });
    expect(comments).toEqual([others, { ...comments[1], id: 2, body: text("body.md") }]);
    expect(comments[1]?.body).toContain("| add | membership | ana in Analysts | gives ReadSales |");

    await apply();
    await plan();
    expect(await comment()).toEqual({ code: 0, output: "" });
    expect(comments).toHaveLength(2);
    expect(comments[1]?.body).toContain("**nothing to change**");
    expect(comments[0]).toEqual({ ...others, body: "<!-- access plan --> I quote" });
  });
});
