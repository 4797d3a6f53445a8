/** `svcctl bisect good`, `bad`, `log`, `view` and `reset`. */

import type { CommandCall, CommandRun } from "../command.ts";
import { commitText } from "../commits/commit-text.ts";
import { printDone, printObject } from "../output/print.ts";
import { afterTest, loadState, removeState, saveState, statusText, type Verdict } from "./bisect-state.ts";

/** The command that takes a verdict on the current commit. */
export function taking(verdict: Verdict): CommandRun {
  return async (call) => {
    const state = afterTest(await loadState(call.context), verdict);
    await saveState(call.context, state);
    await printObject(call, state, () => statusText(state));
  };
}

export async function showState(call: CommandCall): Promise<void> {
  const state = await loadState(call.context);
  await printObject(call, state, () => statusText(state));
}

/** Shows the commits that are left. */
export async function view(call: CommandCall): Promise<void> {
  const state = await loadState(call.context);
  const text = (): string =>
    state.commits.length === 0
      ? statusText(state)
      : state.commits.map((commit) => `${commitText(commit, call.context.style, true)}`).join("");
  await printObject(call, state.commits, text);
}

export async function reset(call: CommandCall): Promise<void> {
  const { context } = call;
  if (await removeState(context)) return printDone(call, "Cleared bisect session");
  context.err(`${context.errorStyle.yellow("Warning:")} No active bisect session\n\n`);
}
