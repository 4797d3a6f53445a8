/** The program with the probe that measures holds. */

import type { Edit } from "../../journal/model/biases.ts";
import { withEdits } from "../edited-sources.ts";
import { type RunningProgram, start } from "../program.ts";

/** Settings of the program. */
interface ProbedOptions {
  /** Files that it may open; absent: as this process. */
  readonly files?: number;
  /** Lines of its sources that are replaced as it loads them. */
  readonly edits?: readonly Edit[];
}

/** Starts the program. */
export function startProbed(
  config: string,
  folder: string,
  { files, edits = [] }: ProbedOptions = {},
): Promise<RunningProgram> {
  const probe = new URL("./hold-probe.ts", import.meta.url).href;
  // The size of the young generation is the launcher's setting.
  const options = `${process.env["NODE_OPTIONS"] ?? ""} --max-semi-space-size=8 --import=${probe}`;
  const { env, main } = withEdits(edits, options);
  return start(["--config", config], folder, env, main, { ipc: true, ...(files !== undefined && { files }) });
}

/**
 * The longest hold since the last call, in milliseconds of CPU time, once the process has nothing to do any more.
 * @throws Error where the process has ended, with what it wrote
 */
export function longestHold({ child, stderr }: RunningProgram): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      const { exitCode, signalCode } = child;
      reject(new Error(`the service ended with ${exitCode ?? signalCode}: ${stderr().slice(-2_000)}`));
    };
    if (!child.connected) return ended();
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve((message as { holdMs: number }).holdMs);
    });
    child.send("hold");
  });
}
