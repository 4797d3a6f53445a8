/** Questions that a person answers with yes before something is lost. */

import { createInterface } from "node:readline/promises";
import type { CommandCall } from "../command.ts";

/**
 * Returns when the answer is yes, or `--yes` was given.
 * @throws Error with `aborted` for any other answer, and where there is no terminal to ask at
 */
export async function confirm({ context }: CommandCall, question: string, aborted: string): Promise<void> {
  if (context.options.yes === true) return;
  const { stdin: input, stderr: output } = context.edge;
  if (input.isTTY !== true) throw new Error(`${aborted}: no terminal to ask at; --yes answers with yes`);
  const asked = createInterface({ input, output });
  try {
    const answer = await asked.question(`${question}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error(aborted);
  } finally {
    asked.close();
  }
}
