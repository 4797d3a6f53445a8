import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

interface LockEntry {
  readonly version?: string;
  readonly os?: readonly string[];
  readonly optional?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const lock: { packages: Record<string, LockEntry> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

describe("package-lock.json", () => {
  it("names the optional packages of every platform, or npm ci refuses it (node build/complete-lock.mjs)", () => {
    const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          !(`${path}/node_modules/${name}` in lock.packages) && !(`node_modules/${name}` in lock.packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  it("has a checksum for everything but optional packages of platforms that the registry lacked", () => {
    const unchecked = Object.entries(lock.packages).filter(
      ([path, entry]) => path !== "" && entry.integrity === undefined,
    );
    for (const [path, entry] of unchecked) {
      expect({ path, optional: entry.optional, os: entry.os?.length }).toEqual({
        path,
        optional: true,
        os: 1,
      });
    }
  });

  it("agrees with package.json", () => {
    for (const kind of ["dependencies", "devDependencies", "optionalDependencies"] as const) {
      expect(lock.packages[""]?.[kind], kind).toEqual(manifest[kind]);
    }
  });

  it("brings a Node 24 for the usual platforms", () => {
    const nodes = Object.keys(manifest.optionalDependencies);
    for (const name of nodes) expect(lock.packages[`node_modules/${name}`]?.version, name).toMatch(/^24\./);
    expect(nodes.map((name) => name.replace(/^node-(bin-)?/, "")).sort()).toEqual([
      "darwin-arm64",
      "darwin-x64",
      "linux-arm64",
      "linux-x64",
      "win-x64",
    ]);
  });
});
