import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const LAUNCHER = join(ROOT, "bin", "svc-authorizer.cjs");
const { version, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** A Node in PATH that is too old for the program. */
function olderNode(): string | undefined {
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  return candidates.filter(existsSync).find((node) => {
    const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    return Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 24) < 24;
  });
}

/** Returns the syntax in a file of `bin` that is newer than ES5. */
function newerSyntaxIn(file: string): string[] {
  const text = readFileSync(join(ROOT, "bin", file), "utf8").replace(/^#!.*/, "");
  const program = JSON.stringify(parseAst(text, { sourceType: "script" }));
  const expressions = [
    "ArrowFunctionExpression",
    "TemplateLiteral",
    "ImportExpression",
    "ChainExpression",
    "AwaitExpression",
  ];
  const others = [
    "ClassDeclaration",
    "SpreadElement",
    "RestElement",
    "ObjectPattern",
    "ArrayPattern",
    "let",
    "const",
  ];
  return [...expressions, ...others].filter((name) => new RegExp(`"(type|kind)":"${name}"`).test(program));
}

describe("the launcher", () => {
  it("can be run, and every program of the package has one", () => {
    for (const path of Object.values<string>(bin)) {
      expect(statSync(join(ROOT, path)).mode & 0o111, path).toBe(0o111);
      expect(readFileSync(join(ROOT, path), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it("runs the sources in a clone", () => {
    const run = spawnSync(process.execPath, [LAUNCHER, "--version"], { encoding: "utf8" });
    expect(run).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  /** The flags of Node under which a program runs in the end. */
  function flagsUnder(options: string): string[] {
    const told = "--import=data:text/javascript,console.error(JSON.stringify(process.execArgv))";
    const env = { ...process.env, NODE_OPTIONS: `${options} ${told}` };
    const { stderr } = spawnSync(process.execPath, [LAUNCHER, "--version"], { encoding: "utf8", env });
    return JSON.parse(stderr.trim().split("\n").at(-1) as string);
  }

  it.skipIf(process.platform === "win32")(
    "bounds how the heap grows and forces no collection; a flag of the user's own wins",
    () => {
      expect(flagsUnder("")).toEqual(["--max-semi-space-size=8", "--heap-growing-percent=100"]);
      expect(flagsUnder("--max-semi-space-size=32")).toEqual(["--heap-growing-percent=100"]);
    },
  );

  it("says in one sentence that the sources are no package, where they were installed as one", () => {
    const folder = temporaryFolder();
    const installed = join(folder, "node_modules", "svc-authorizer");
    for (const part of ["bin", "src", "package.json"]) {
      cpSync(join(ROOT, part), join(installed, part), { recursive: true });
    }
    const run = spawnSync(process.execPath, [join(installed, "bin", "svc-authorizer.cjs"), "--version"], {
      encoding: "utf8",
    });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^This is the source of svc-authorizer, .*@svc-authorizer\/server.*\n$/);
  });

  const older = olderNode();
  it.skipIf(older === undefined)("tells people with an older Node what to do, and exits 1", () => {
    const run = spawnSync(older as string, [LAUNCHER, "run"], { encoding: "utf8" });
    expect(run.status).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toContain("svc-authorizer needs Node.js 24 or newer");
    expect(run.stderr).toContain(older);
    expect(run.stderr).toContain("npm ci");
    expect(run.stderr).not.toContain("SyntaxError");
  });

  it("is read by any Node: what runs before the check of the version is ES5", () => {
    expect(newerSyntaxIn("svc-authorizer.cjs")).toEqual([]);
    expect(newerSyntaxIn("node-version.cjs")).toEqual([]);
    expect(newerSyntaxIn("launch.cjs")).toEqual(
      expect.arrayContaining(["ImportExpression", "TemplateLiteral", "const"]),
    );
  });
});
