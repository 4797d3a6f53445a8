/** OPA and Cerbos as programs: built or fetched once, in versions that stand here, into a folder that git does not see. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** The versions that are measured. */
export const VERSIONS = { opa: "1.22.3", cerbos: "0.51.0" } as const;

const programs = join(import.meta.dirname, "programs");
const LONG_MS = 30 * 60_000;

function run(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  mkdirSync(programs, { recursive: true });
  const { status } = spawnSync(file, args, {
    cwd: programs,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: LONG_MS,
  });
  return status === 0;
}

/** OPA, built by `go install`; undefined where that is not possible. */
export function opa(): string | undefined {
  const path = join(programs, "opa");
  const source = `github.com/open-policy-agent/opa@v${VERSIONS.opa}`;
  return existsSync(path) || run("go", ["install", source], { GOBIN: programs, GOTOOLCHAIN: "auto" })
    ? path
    : undefined;
}

/** Cerbos, as npm has it for Linux; undefined where that is not possible. */
export function cerbos(): string | undefined {
  const name = "@cerbos/cerbos-linux-x64";
  const path = join(programs, "node_modules", name, "cerbos-linux-x64");
  const args = ["install", "--prefix", ".", "--no-save", "--no-audit", `${name}@${VERSIONS.cerbos}`];
  return existsSync(path) || run("npm", args) ? path : undefined;
}
