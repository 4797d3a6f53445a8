/** The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit as docs/policy-work.md configures them. */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hasProgram } from "../../journal/has-program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PAGE = readFileSync(join(ROOT, "docs", "policy-work.md"), "utf8");
/** The block of the page. */
const CONFIG = /^```yaml\n# \.pre-commit-config\.yaml\n([\s\S]*?)^```/m.exec(PAGE)?.[1] ?? "";
const POLICY = JSON.stringify({
  id: "Reads",
  statement: [
    { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/data/object/*" },
  ],
});

let folder: string;
/** An environment with svcctl in the path, as the page asks for, and nothing of this clone's git. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GIT_|npm_|VITEST|NODE_OPTIONS)/.test(name));
  const paths = [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]];
  return { ...Object.fromEntries(kept), PATH: paths.join(":"), PRE_COMMIT_HOME: join(folder, "home") };
}

function run(cwd: string, program: string, ...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: environment(), encoding: "utf8" });
  return { status, text: stdout + stderr };
}

function git(cwd: string, ...args: string[]): void {
  const own = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  const { status, text } = run(cwd, "git", ...own, ...args);
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${text}`);
}

const inWork = (...parts: string[]) => join(folder, "work", ...parts);

describe.skipIf(!hasProgram("pre-commit"))("pre-commit", () => {
  beforeEach(() => {
    folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    symlinkSync(join(ROOT, "packages", "svcctl", "bin", "svcctl.cjs"), join(folder, "bin", "svcctl"));
    // The repository of the hooks, at the version that the page names.
    const hooks = join(folder, "hooks");
    mkdirSync(hooks);
    copyFileSync(join(ROOT, ".pre-commit-hooks.yaml"), join(hooks, ".pre-commit-hooks.yaml"));
    const [{ repo, rev }] = parse(CONFIG).repos;
    git(hooks, "init", "--quiet");
    git(hooks, "add", ".");
    git(hooks, "commit", "--quiet", "--message=hooks");
    git(hooks, "tag", rev);
    mkdirSync(inWork("policies"), { recursive: true });
    git(inWork(), "init", "--quiet");
    writeFileSync(inWork(".pre-commit-config.yaml"), CONFIG.replace(repo, hooks));
  });

  /** Stages a policy and runs the hooks on what is staged. */
  function hooksOn(text: string, name = "policies/reads.json") {
    writeFileSync(inWork(name), text);
    git(inWork(), "add", ".");
    return run(inWork(), "pre-commit", "run", "--color=never");
  }

  it("stops a commit with a faulty policy, and says what is wrong", () => {
    const { status, text } = hooksOn(POLICY.replace('"allow"', '"permit"'));
    expect([status, text]).toEqual([1, expect.stringMatching(/lint\.+Failed[\s\S]*reads\.json/)]);
    expect(text).toContain("effect");
  });

  it("stops a commit with a policy that is not formatted, and passes it as svcctl formats it", () => {
    const { status, text } = hooksOn(POLICY);
    expect([status, text]).toEqual([1, expect.stringMatching(/lint\.+Passed[\s\S]*fmt\.+Failed/)]);
    run(inWork(), "svcctl", "policy", "fmt", "--write", "policies/reads.json");
    const formatted = readFileSync(inWork("policies/reads.json"), "utf8");
    const again = hooksOn(formatted);
    expect([again.status, again.text]).toEqual([
      0,
      expect.stringMatching(/lint\.+Passed\n[\s\S]*fmt\.+Passed/),
    ]);
  });

  it("leaves other files alone", () => {
    const { status, text } = hooksOn("{}", "other.json");
    expect([status, text]).toEqual([0, expect.stringMatching(/\(no files to check\)Skipped/)]);
  });
});
