import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchFiles } from "@svc-authorizer/svcctl/policy/watch-files.ts";
import { XMLParser } from "fast-xml-parser";
import { afterAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { allow, folderWith, policy, REPO, soundPolicy } from "./example-folder.ts";

describe("policy test", () => {
  const cases = (...list: object[]) => ({
    policies: [soundPolicy],
    users: [{ username: "ana", policies: ["Sound"] }],
    cases: list,
  });
  const reads = { name: "reads", user: "ana", action: "fs:ReadObject", resource: `${REPO}r/object/o` };
  const run = (file: object, ...args: string[]) => {
    const cwd = folderWith({ "t/x.test.json": file });
    return svcctl(["policy", "test", "t", ...args], { cwd });
  };

  it("passes the worked example, with every statement covered", async () => {
    const { code, stdout } = await svcctl(["policy", "test", "example", "--min-coverage", "100"], {
      cwd: folderWith(),
    });
    expect(stdout).toContain("6 passed, 0 failed");
    expect(code).toBe(0);
  });

  it("fails a case with the explanation of the decision", async () => {
    const { code, stdout } = await run(cases({ ...reads, expect: "deny" }));
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ reads \(t\/x\.test\.json:1:\d+\)/);
    expect(stdout).toContain("expected deny, got allow");
    expect(stdout).toContain("policy Sound, statement 0");
    expect(stdout).toContain("0 passed, 1 failed in 1 file");
  });

  it.each([
    ["allow", {}, 0],
    ["refused", {}, 1],
    ["refused", { action: "fs:WriteObject" }, 0],
    ["neutral", { action: "fs:WriteObject" }, 0],
    ["deny", { action: "fs:WriteObject" }, 1],
    ["allow", { decided_by: { policy: "Sound" } }, 0],
    ["allow", { decided_by: [{ policy: "Sound", statement: 0 }] }, 0],
    ["allow", { decided_by: { policy: "Sound", statement: 1 } }, 1],
    ["allow", { decided_by: { policy: "Sound", sid: "Objects" } }, 0],
    ["allow", { decided_by: { policy: "Sound", statement: 0, sid: "Objects" } }, 0],
    ["allow", { decided_by: { policy: "Sound", sid: "Others" } }, 1],
    ["allow", { action: ["fs:ReadObject", "fs:WriteObject"] }, 1],
    ["neutral", { user: "eve", policies: [] }, 0],
    ["allow", { user: "eve", policies: ["Sound"] }, 0],
    ["neutral", { user: "eve" }, 1],
    ["allow", { policies: ["Absent"] }, 1],
  ])("expects %s of %j", async (expected, more, code) => {
    const { code: got, stdout } = await run(cases({ ...reads, ...more, expect: expected }));
    expect(got, stdout).toBe(code);
  });

  it("warns of refusals that prove nothing, since no service asks such a question", async () => {
    const refused = { ...reads, expect: "refused" };
    const typo = { ...refused, name: "typo", action: "fs:WriteObjet" };
    const pair = { ...refused, name: "pair", action: "fs:DeleteRepository" };
    const sound = { ...refused, name: "sound", action: "fs:WriteObject" };
    const { code, stdout, stderr } = await run(cases(typo, pair, sound));
    expect([code, stdout]).toEqual([0, expect.stringContaining("3 passed, 0 failed")]);
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^warning: t\/x\.test\.json:1:\d+: typo: there is no action fs:WriteObjet \(did you mean fs:WriteObject\?\)$/,
      ),
      expect.stringMatching(/^warning: t\/x\.test\.json:1:\d+: pair: fs:DeleteRepository is asked about /),
    ]);
    const json = JSON.parse((await run(cases(typo, sound), "--json")).stdout);
    expect(json.suites[0].cases.map(({ doubts }: { doubts?: string[] }) => doubts?.length)).toEqual([
      1,
      undefined,
    ]);
  });

  it("asks trees", async () => {
    const { action, resource, ...rest } = reads;
    const leaf = { action, resource };
    const trees = [
      { and: [leaf, leaf] },
      { or: [{ action: "fs:WriteObject", resource }, leaf] },
      { any_resource: { action } },
    ];
    const list = trees.map((required, index) => ({ ...rest, name: `${index}`, required, expect: "allow" }));
    expect((await run(cases(...list))).code).toBe(0);
  });

  it("counts statements that no case shows at work, and fails below the wanted share", async () => {
    const idle = policy("Idle", allow("fs:WriteObject"));
    const file = { ...cases({ ...reads, expect: "allow" }), policies: [soundPolicy, idle] };
    const enough = await run(file, "--min-coverage", "50");
    expect(enough.code).toBe(0);
    expect(enough.stdout).toContain("t/x.test.json\tIdle\t0\t0");
    expect(enough.stdout).toContain("1 of 2 statements covered (50 %)");
    expect((await run(file, "--min-coverage", "51")).code).toBe(1);
    expect((await run(file, "--coverage")).stdout).toContain("t/x.test.json\tSound\t0\t1");
  });

  it.each([
    ["an unknown field", { cases: [{ ...reads, expect: "allow", expects: 1 }] }, "/cases/0/expects"],
    ["an unknown effect", { cases: [{ ...reads, expect: "maybe" }] }, "/cases/0/expect"],
    ["a case without a request", { cases: [{ name: "x", user: "ana", expect: "allow" }] }, "/cases/0"],
    ["no cases", { cases: [] }, "/cases"],
    [
      "a name twice",
      {
        cases: [
          { ...reads, expect: "allow" },
          { ...reads, expect: "allow" },
        ],
      },
      "/cases/1/name",
    ],
    [
      "files that are not there",
      { files: ["no/*.json"], cases: [{ ...reads, expect: "allow" }] },
      "matches no file",
    ],
  ])("refuses %s, with its place", async (_, file, shown) => {
    const { code, stdout } = await run(file);
    expect(code).toBe(1);
    expect(stdout).toContain(shown);
  });

  it("finds no tests where there are none, and says so", async () => {
    const { code, stderr } = await svcctl(["policy", "test", "example/policies"], { cwd: folderWith() });
    expect(code).toBe(1);
    expect(stderr).toContain("the glob matches no file");
  });

  it("writes a JUnit report", async () => {
    const cwd = folderWith({
      "t/x.test.json": cases({ ...reads, expect: "allow" }, { ...reads, name: "<&\u0001>", expect: "deny" }),
    });
    await svcctl(["policy", "test", "t", "--junit", "report.xml"], { cwd });
    const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "testcase" });
    const { testsuite } = parser.parse(readFileSync(join(cwd, "report.xml"), "utf8"), true).testsuites;
    expect(testsuite).toMatchObject({ "@_tests": "2", "@_failures": "1", "@_errors": "0" });
    expect(testsuite.testcase[0]).not.toHaveProperty("failure");
    expect(testsuite.testcase[1]["@_name"]).toBe("<&\ufffd>");
    expect(testsuite.testcase[1].failure["@_message"]).toBe("expected deny, got allow");
  });

  it("prints results and coverage for programs", async () => {
    const { stdout } = await run(cases({ ...reads, expect: "deny" }), "--json");
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ passed: 0, failed: 1, coverage: { percent: 100 } });
    expect(report.suites[0].cases[0].failures[0].explanation.determining[0]).toMatchObject({
      policy: "Sound",
    });
  });

  it("takes users, groups and policies of data sets", async () => {
    const dataset = {
      format: 1,
      policies: [soundPolicy],
      groups: [{ name: "G", policies: ["Sound"] }],
      users: [{ username: "ana", groups: ["G"] }],
    };
    const cwd = folderWith({
      "data.json": dataset,
      "t/x.test.json": { files: ["../data.json"], cases: [{ ...reads, expect: "allow" }] },
    });
    expect((await svcctl(["policy", "test", "t"], { cwd })).code).toBe(0);
  });

  it("knows the policies that ship", async () => {
    const list = [{ ...reads, groups: ["Viewers"], expect: "allow" }];
    expect((await run({ preconfigured: true, cases: list })).code).toBe(0);
  });

  it("watches until its input ends", async () => {
    const { code, stderr } = await run(cases({ ...reads, expect: "allow" }), "--watch");
    expect(stderr).toContain("watching");
    expect(code).toBe(0);
  });
});

describe("a watch", () => {
  const open: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(open.map((one) => one.close())));

  it("tells of changed and of new files", async () => {
    const cwd = folderWith({ "a.txt": "1" });
    let told: (() => void) | undefined;
    const next = () => new Promise<void>((resolve) => (told = resolve));
    const watched = watchFiles([cwd], async () => told?.());
    open.push(watched);
    await watched.ready;
    const changed = next();
    writeFileSync(join(cwd, "a.txt"), "2");
    await changed;
    const added = next();
    writeFileSync(join(cwd, "b.txt"), "1");
    await added;
  });
});
