/** The types of the APIs are written where they are needed, and no program needs them. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const FILES = ["decision-api.gen.ts", "management-api.gen.ts"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "contract-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [file, ...args], { encoding: "utf8" });

describe("build/contract.mjs", () => {
  const program = join(ROOT, "build", "contract.mjs");

  it("writes the types, and leaves alone what is as it is to be", () => {
    const at = join(folder, "src");
    expect(run(program, at)).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(at).sort()).toEqual(FILES);
    const [decisions, management] = FILES.map((name) => join(at, name)) as [string, string];
    const before = statSync(decisions).ino;
    writeFileSync(management, "// Old.\n");
    expect(run(program, at)).toMatchObject({ status: 0, stderr: "" });
    expect(statSync(decisions).ino).toBe(before);
    expect(readFileSync(management, "utf8")).toContain("export interface Operations {");
  });

  it("fails an installation without development packages only where the types are needed", () => {
    // Without its neighbour, which asks for them.
    const alone = join(folder, "contract.mjs");
    copyFileSync(program, alone);
    const at = join(folder, "src");
    expect(run(alone, at)).toMatchObject({ status: 1, stderr: expect.stringContaining("not written") });
    expect(run(alone, "--if-possible", at)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("not written"),
    });
  });
});

describe("the package", () => {
  it("is written by npm ci and before types are checked, and is not committed", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.prepare).toBe("exec node build/contract.mjs --if-possible");
    expect(scripts.typecheck).toMatch(/^node build\/contract\.mjs && /);
    const ignored = readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n");
    expect(ignored).toContain("/packages/contract/src/");
  });

  it("gives types alone, so that nothing of it is loaded", () => {
    const sources = ["src", "packages/*/src", "test", "packages/*/test", "bench", "scenario", "build"];
    const patterns = sources.map((one) => `${one}/**/*.{ts,tsx}`);
    const imports = globSync(patterns, { cwd: ROOT })
      .filter((path) => path !== "packages/contract/test/written.test.ts")
      .flatMap((path) => {
        const text = readFileSync(join(ROOT, path), "utf8");
        return [...text.matchAll(/^(?:import|export)\b[^;]*?"@svc-authorizer\/contract\/[^;]*;/gm)].map(
          ([statement]) => `${path}: ${statement.replace(/\s+/g, " ")}`,
        );
      });
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.filter((one) => !/: (?:import|export) type /.test(one))).toEqual([]);
  });
});
