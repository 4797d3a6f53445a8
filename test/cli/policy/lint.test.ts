import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { allow, brokenPolicy, doubtfulPolicy, folderWith, policy, soundPolicy } from "./example-folder.ts";

describe("policy lint", () => {
  const FILES = {
    "a/sound.json": soundPolicy,
    "a/doubtful.json": doubtfulPolicy,
    "b/broken.json": brokenPolicy,
  };
  const lint = (...args: string[]) => svcctl(["policy", "lint", ...args], { cwd: folderWith(FILES) });

  it.each([
    ["a sound policy", ["a/sound.json"], 0],
    ["a warning", ["a/doubtful.json"], 0],
    ["a warning, strictly", ["a/doubtful.json", "--strict"], 1],
    ["as many warnings as wanted", ["a/*.json", "--max-warnings", "1"], 0],
    ["more warnings than wanted", ["a/*.json", "--max-warnings", "0"], 1],
    ["an error", ["b/broken.json"], 1],
    ["a folder", ["b"], 1],
    ["a glob without files", ["c/*.json"], 1],
    ["a file that is no policy", ["example/README.md"], 1],
  ])("of %s", async (_, args, code) => {
    expect((await lint(...args)).code).toBe(code);
  });

  it("of files that have no policies fails, as nothing is checked", async () => {
    const cwd = folderWith({ "a/misspelt.json": JSON.stringify({ statements: [] }) });
    const { code, stdout, stderr } = await svcctl(["policy", "lint", "a"], { cwd });
    expect([code, stdout]).toEqual([1, "0 errors, 0 warnings in 0 files; 1 file without policies\n"]);
    expect(stderr).toContain("nothing was checked");
  });

  it("prints place, rule and policy, each finding on a line", async () => {
    const { stdout } = await lint("b/broken.json");
    expect(stdout).toMatch(
      /^b\/broken\.json:1:\d+: error \[guard\] Broken at \/statement\/0\/effect: must be/,
    );
    expect(stdout).toMatch(/1 error, 0 warnings in 1 file\n$/);
  });

  it("shows nothing of a file that could steer a terminal", async () => {
    const folder = folderWith({ "evil.json": policy("\u001b[2Jx", allow("fs:ReadObject\u001b[31m")) });
    const { stdout } = await svcctl(["policy", "lint", "evil.json"], { cwd: folder });
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("\\u001b[2Jx");
  });

  it("paints on a terminal only, and not with NO_COLOR", async () => {
    const args = ["policy", "lint", "b/broken.json"];
    const cwd = folderWith(FILES);
    expect((await svcctl(args, { cwd, terminal: true })).stdout).toContain("\u001b[91merror");
    const plain = await svcctl(args, { cwd, terminal: true, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
  });

  it("reads standard input", async () => {
    const { stdout, code } = await svcctl(["policy", "lint", "-"], {
      cwd: folderWith(),
      stdin: JSON.stringify(brokenPolicy),
    });
    expect(code).toBe(1);
    expect(stdout).toContain("standard input:1:");
  });

  it("counts and places findings for programs", async () => {
    const { stdout } = await lint("a", "b", "--json");
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ errors: 1, warnings: 1, files: 3 });
    expect(report.findings).toContainEqual(
      expect.objectContaining({ rule: "guard", file: "b/broken.json", line: 1, policy: "Broken" }),
    );
  });

  it("writes SARIF with a place for each result and a rule for each kind", async () => {
    const { stdout } = await lint("a", "b", "--sarif");
    const { version, runs } = JSON.parse(stdout);
    expect(version).toBe("2.1.0");
    const [{ tool, results }] = runs;
    expect(results).toHaveLength(2);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(["error", "warning"]).toContain(level);
      expect(message.text).not.toBe("");
      const { artifactLocation, region } = locations[0].physicalLocation;
      expect(artifactLocation.uri).toMatch(/^[ab]\/\w+\.json$/);
      expect(region.startLine).toBeGreaterThan(0);
      expect(region.startColumn).toBeGreaterThan(0);
    }
  });

  it("knows the services that are named", async () => {
    const folder = folderWith({ "demo.json": policy("Demo", allow("demo:Read", "arn:svc:demo:::record/1")) });
    const args = ["policy", "lint", "demo.json"];
    expect((await svcctl(args, { cwd: folder })).code).toBe(1);
    expect((await svcctl([...args, "--service", "demo"], { cwd: folder })).code).toBe(0);
  });
});
