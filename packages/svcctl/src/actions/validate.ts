/** `svcctl actions validate`. */

import type { CommandCall } from "../command.ts";
import { readInput } from "../input.ts";
import { printDone } from "../output/print.ts";
import { actionFaults } from "./action-file.ts";

/** Says that the file is an action file. Throws an Error with everything that is wrong otherwise. */
export async function validate(call: CommandCall): Promise<void> {
  const file = call.args[0] ?? "";
  const faults = await actionFaults(await readInput(call.context, file));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  await printDone(call, `File validated successfully: '${file}'`);
}
