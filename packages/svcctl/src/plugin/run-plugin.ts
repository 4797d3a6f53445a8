/** Runs a plugin in place of a command: with its arguments, the environment and the streams of svcctl. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { CommandContext } from "../command-context.ts";

/**
 * Runs the file; resolves with its exit code, or 128 and the number of the signal that ended it.
 * @throws Error when it cannot be started
 */
export async function runPlugin(
  { edge, env }: CommandContext,
  path: string,
  args: readonly string[],
): Promise<number> {
  // An interrupt reaches the plugin too, which decides what it means.
  const forget = edge.onInterrupt?.(() => {});
  try {
    const child = spawn(path, args, { stdio: "inherit", cwd: edge.cwd, env });
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new Error(`failed to run plugin ${path}: ${(error as Error).message}`, { cause: error });
  } finally {
    forget?.();
  }
}
