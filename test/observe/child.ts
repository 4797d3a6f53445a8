/** Runs TypeScript source in a process of its own, below this folder so that it can import the sources. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const OBSERVE = new URL("../../src/observe/", import.meta.url).href;

/** The outcome of a process. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a module; `OBSERVE` in it stands for the address of `src/observe/`, `argument` is `process.argv[1]`. */
export function runModule(source: string, argument = ""): Ended {
  const code = source.replaceAll("OBSERVE", OBSERVE);
  const flags = ["--expose-gc", "--input-type=module-typescript", "-e", code];
  const options = { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" } as const;
  return spawnSync(process.execPath, [...flags, "--", argument], options);
}

/** A folder for one test file, with what removes it. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "observe-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
