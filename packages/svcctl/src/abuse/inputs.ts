/** Inputs of the calls of a run. */

import { randomInt } from "node:crypto";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "../input.ts";
import { say } from "../local/compare/compare-folder.ts";

/** The numbers from 1 to `--amount`, each turned into an input. */
export function* numbered({ options }: CommandCall, input: (number: number) => string): Generator<string> {
  const amount = Number(options["amount"]);
  for (let number = 1; number <= amount; number += 1) yield input(number);
}

/**
 * `--amount` lines of a file, taken at random.
 * @throws Error when the file cannot be read or is empty
 */
export async function randomLines(call: CommandCall): Promise<Generator<string>> {
  const text = await readInput(call.context, textOption(call.options, "fromFile") ?? "");
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length === 0) throw new Error("there are no paths in the file of --from-file");
  say(call, `read a total of ${lines.length} keys from key file\n`);
  return numbered(call, () => lines[randomInt(lines.length)] ?? "");
}
