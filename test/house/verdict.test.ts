import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "..", "..", ".ci", "verdict.mjs");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "verdict-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The verdict on one file of tests, given as name and status. */
function verdict(tests: Record<string, string>, skips: readonly object[] = [], status = "passed") {
  const assertionResults = Object.entries(tests).map(([fullName, state]) => ({ fullName, status: state }));
  const results = join(folder, "results.json");
  const skipsFile = join(folder, "skips.json");
  writeFileSync(results, JSON.stringify({ testResults: [{ name: "a.test.ts", status, assertionResults }] }));
  writeFileSync(skipsFile, JSON.stringify(skips));
  const run = spawnSync(process.execPath, [SCRIPT, results, skipsFile], { encoding: "utf8" });
  return { status: run.status, text: run.stdout, last: run.stdout.trimEnd().split("\n").at(-1) };
}

describe("the verdict of CI", () => {
  it("is good when all tests passed", () => {
    expect(verdict({ one: "passed", two: "passed" })).toMatchObject({
      status: 0,
      last: "2 passed, 0 failed",
    });
  });

  it("names a failed test", () => {
    const { status, text, last } = verdict({ one: "passed", two: "failed" }, [], "failed");
    expect(status).toBe(1);
    expect(text).toContain("failed: two");
    expect(last).toBe("1 passed, 1 failed");
  });

  it.each(["pending", "skipped", "todo"])("counts a test that is %s as failed", (state) => {
    expect(verdict({ one: "passed", two: state })).toMatchObject({ status: 1, last: "1 passed, 1 failed" });
  });

  it("lets a test be skipped that the list names with a reason", () => {
    const skips = [{ name: "two", reason: "needs a cloud account" }];
    const result = verdict({ one: "passed", two: "pending" }, skips);
    expect(result).toMatchObject({ status: 0, last: "1 passed, 0 failed, 1 skipped" });
    expect(result.text).toContain("needs a cloud account");
  });

  it("lets tests be skipped by how their names begin, and no others", () => {
    const skips = [{ prefix: "behind nginx", reason: "needs nginx" }];
    const tests = { one: "passed", "behind nginx a": "pending", "behind nginx b": "pending" };
    expect(verdict(tests, skips)).toMatchObject({ status: 0, last: "1 passed, 0 failed, 2 skipped" });
    expect(verdict({ ...tests, "behind caddy": "pending" }, skips).status).toBe(1);
    expect(verdict({ one: "passed" }, skips).text).toContain("does not exist: behind nginx");
  });

  it("takes no empty reason", () => {
    expect(verdict({ one: "passed", two: "pending" }, [{ name: "two", reason: " " }]).status).toBe(1);
  });

  it("refuses a list that names no test", () => {
    const { status, text } = verdict({ one: "passed" }, [
      { name: "renamed", reason: "needs a cloud account" },
    ]);
    expect(status).toBe(1);
    expect(text).toContain("does not exist: renamed");
  });

  it("counts a file that did not load as failed", () => {
    expect(verdict({}, [], "failed")).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
  });

  it("is bad when no test ran", () => {
    expect(verdict({})).toMatchObject({ status: 1, last: "0 passed, 0 failed" });
  });
});
