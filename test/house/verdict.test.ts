import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const SCRIPT = join(import.meta.dirname, "..", "..", ".ci", "verdict.mjs");

const folder = temporaryFolder();

/** A file of vitest's results with one file of tests, given as name and status; failed tests have a message. */
function results(name: string, tests: Record<string, string>, status: string): string {
  const assertionResults = Object.entries(tests).map(([fullName, state]) => ({
    fullName,
    status: state,
    failureMessages: state === "failed" ? [`Error: ${fullName} went wrong`] : [],
  }));
  const file = join(folder, name);
  writeFileSync(
    file,
    JSON.stringify({
      testResults: [{ name: "a.test.ts", status, message: "no such module", assertionResults }],
    }),
  );
  return file;
}

/** The verdict on one file of tests; `again` is what its second run gave. */
function verdict(
  tests: Record<string, string>,
  skips: readonly object[] = [],
  status = "passed",
  again?: Record<string, string>,
) {
  const skipsFile = join(folder, "skips.json");
  writeFileSync(skipsFile, JSON.stringify(skips));
  const files = [results("results.json", tests, status), skipsFile];
  const failedAgain = Object.values(again ?? {}).includes("failed");
  if (again !== undefined) files.push(results("again.json", again, failedAgain ? "failed" : "passed"));
  else files.push(join(folder, "does-not-exist.json"));
  const run = spawnSync(process.execPath, [SCRIPT, ...files], { encoding: "utf8" });
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
    expect(text).toContain("failed: two (a.test.ts)\n    Error: two went wrong");
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

  it("says why a file did not load", () => {
    expect(verdict({}, [], "failed").text).toContain("failed to load: a.test.ts\n    no such module");
  });

  it("names as unsteady what failed beside others and passed alone", () => {
    const { status, text, last } = verdict({ one: "passed", two: "failed" }, [], "failed", {
      one: "passed",
      two: "passed",
    });
    expect({ status, last }).toEqual({ status: 0, last: "2 passed, 0 failed" });
    expect(text).toContain("unsteady, failed at the first try: two (a.test.ts)\n    Error: two went wrong");
    expect(verdict({}, [], "failed", { one: "passed" }).text).toContain("failed to load at the first try");
  });

  it("is bad when a test fails alone too, whichever it is", () => {
    const tests = { one: "passed", two: "failed" };
    expect(verdict(tests, [], "failed", tests)).toMatchObject({ status: 1, last: "1 passed, 1 failed" });
    expect(verdict(tests, [], "failed", { one: "failed", two: "passed" }).status).toBe(1);
  });

  it("is bad when no test ran", () => {
    expect(verdict({})).toMatchObject({ status: 1, last: "0 passed, 0 failed" });
  });
});
