import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

interface LockEntry {
  readonly version?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optional?: boolean;
  readonly integrity?: string;
  /** True: it stands in this repository. */
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const lock: { packages: Record<string, LockEntry> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** The places where Node looks for a package that one at `path` asks for, the nearest first. */
function placesFrom(path: string, name: string): string[] {
  const parts = path.split("/node_modules/");
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join("/node_modules/"));
  return [...above.map((one) => `${one}/node_modules/${name}`), `node_modules/${name}`];
}

describe("package-lock.json", () => {
  it("names the optional packages of every platform, or npm ci refuses it (node build/complete-lock.mjs)", () => {
    const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
      Object.entries(entry.optionalDependencies ?? {})
        .filter(([name, version]) => {
          const place = placesFrom(path, name).find((one) => one in lock.packages);
          const found = place === undefined ? undefined : lock.packages[place]?.version;
          return found === undefined || (/^\d/.test(version) && found !== version);
        })
        .map(([name, version]) => `${path} needs ${name} ${version}`),
    );
    expect(missing).toEqual([]);
  });

  it("has a checksum for everything but optional packages of platforms that the registry lacked", () => {
    const unchecked = Object.entries(lock.packages).filter(
      ([path, entry]) =>
        path.includes("node_modules/") && entry.integrity === undefined && entry.link !== true,
    );
    for (const [path, entry] of unchecked) {
      // A package in WebAssembly names a processor only.
      expect({ path, optional: entry.optional, platforms: (entry.os ?? entry.cpu)?.length }).toEqual({
        path,
        optional: true,
        platforms: 1,
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
