/** The files that policy-as-code.md, policy-work.md and datasets.md show, and their usages, are those of the programs. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const folder = temporaryFolder();

function blockOf(page: string, language: string, begins: string): string {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  const blocks = [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)];
  const found = blocks
    .filter(([, ofBlock]) => ofBlock === language)
    .map(([, , block = ""]) => block)
    .filter((block) => block.startsWith(begins));
  expect(found, `${page}: ${begins}`).toHaveLength(1);
  return found[0] as string;
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function svcctl(...args: string[]): { readonly status: number | null; readonly output: string } {
  const program = join(ROOT, "packages", "svcctl", "bin", "svcctl.cjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    cwd: folder,
  });
  return { status, output: stdout + stderr };
}

it("the policy of who applies", () => {
  const file = write("applier.json", blockOf("policy-as-code.md", "json", "{"));
  expect(svcctl("policy", "lint", file)).toMatchObject({ status: 0 });
});

it("the data set with the address of its schema, which is that of the schema itself", () => {
  const text = blockOf("policy-work.md", "yaml", "# yaml-language-server");
  expect(svcctl("policy", "lint", write("dataset.yaml", text))).toMatchObject({ status: 0 });
  const [, address] = /\$schema=(\S+)/.exec(text) ?? [];
  const schema = JSON.parse(readFileSync(join(ROOT, "policies/schema/dataset.schema.json"), "utf8"));
  expect(address).toBe(schema.$id);
});

it("the file of policy tests, whose cases hold for the policies of the page", () => {
  cpSync(join(ROOT, "fixtures/policy-work/policies"), join(folder, "policies"), { recursive: true });
  write("policy-tests/sales.test.yaml", blockOf("policy-work.md", "yaml", 'files: ["../policies'));
  const { status, output } = svcctl("policy", "test", "policy-tests");
  expect(output).toContain(" passed, 0 failed in 1 file");
  expect(status).toBe(0);
});

it("the data set of the contract", () => {
  const text = blockOf("spec/decision-api.md", "yaml", "format: 1");
  expect(svcctl("policy", "lint", write("contract.yaml", text))).toMatchObject({ status: 0 });
});

describe("the usage of docs/datasets.md", () => {
  const lines = blockOf("datasets.md", "", "svc-authorizer load").trim().split("\n");

  it.each(lines)("is that of the program: %s", (line) => {
    const [, command = ""] = line.split(/ +/);
    const program = join(ROOT, "bin", "svc-authorizer.cjs");
    const { stdout } = spawnSync(process.execPath, [program, command, "--help"], { encoding: "utf8" });
    for (const option of line.match(/--[a-z-]+/g) ?? []) expect(stdout).toContain(`${option} `);
    expect(stdout).toContain(
      `Usage: svc-authorizer ${command} [options]${line.includes("FILES…") ? " <files...>" : ""}\n`,
    );
  });
});
