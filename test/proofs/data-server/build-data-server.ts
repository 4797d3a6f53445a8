/**
 * lakeFS and its own tool, built from source for the proofs: `LAKEFS_SOURCE` names a clone, or a repository to clone. It
 * is cloned and built once, below ~/.cache/svc-authorizer/data-server.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isWhole } from "../size.ts";

/** The commit that the proofs were written with. */
const COMMIT = "71a45eeb1639d146d34b8effd7e86d077160ed7c";
const CACHE = join(homedir(), ".cache", "svc-authorizer", "data-server", COMMIT.slice(0, 12));

/** The programs. */
export interface BuiltDataServer {
  readonly server: string;
  /** Its own tool. */
  readonly tool: string;
  /** The system tests of that tool, as a program that runs in `testFolder`. */
  readonly tests: string;
  readonly testFolder: string;
}

/**
 * The programs: those of an earlier build, or with `npm run prove` and Go a new one.
 * @returns undefined where there is neither; the reason is on standard error with `npm run prove`
 */
export function builtDataServer(): BuiltDataServer | undefined {
  const built = {
    server: join(CACHE, "bin", "lakefs"),
    tool: join(CACHE, "bin", "lakectl"),
    tests: join(CACHE, "bin", "esti.test"),
    testFolder: join(CACHE, "source", "esti"),
  };
  if (existsSync(built.server)) return built;
  if (!isWhole) return undefined;
  try {
    build();
    return built;
  } catch (error) {
    process.stderr.write(`the data server cannot be built: ${(error as Error).message}\n`);
    return undefined;
  }
}

function run(program: string, args: readonly string[], cwd: string): void {
  const ran = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (ran.error) throw ran.error;
  if (ran.status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${ran.stderr.trim().split("\n").at(-1)}`);
}

function build(): void {
  const source = join(CACHE, "source");
  const bin = join(CACHE, "unfinished");
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  run("go", ["version"], CACHE);
  run(
    "git",
    ["clone", "-q", process.env["LAKEFS_SOURCE"] ?? "https://github.com/treeverse/lakeFS", source],
    CACHE,
  );
  run("git", ["checkout", "-q", COMMIT], source);
  // The server serves a page that is built apart; no proof needs it.
  mkdirSync(join(source, "webui", "dist"), { recursive: true });
  writeFileSync(join(source, "webui", "dist", "index.html"), "");
  run("go", ["build", "-o", `${bin}/`, "./cmd/lakefs", "./cmd/lakectl"], source);
  run("go", ["test", "-c", "-o", join(bin, "esti.test"), "./esti"], source);
  renameSync(bin, join(CACHE, "bin"));
}
