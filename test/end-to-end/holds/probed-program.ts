/** The program with the probe that measures holds. */

import { type RunningProgram, start } from "../program.ts";

/**
 * Starts the program.
 * @param files files that it may open; absent: as this process
 */
export function startProbed(config: string, folder: string, files?: number): Promise<RunningProgram> {
  const probe = new URL("./hold-probe.ts", import.meta.url).href;
  // The size of the young generation is the launcher's setting.
  const env = {
    NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --max-semi-space-size=8 --import=${probe}`,
  };
  return start(["--config", config], folder, env, undefined, {
    ipc: true,
    ...(files !== undefined && { files }),
  });
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
