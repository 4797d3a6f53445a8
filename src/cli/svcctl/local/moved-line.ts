import { safeText } from "../../safe-text.ts";
import type { CommandCall } from "../command.ts";

/** Width of what was done, before the dots. */
const WIDTH = 40;

/** Prints a line for each file that was moved, where no progress bar shows that on a terminal. */
export function movedLine({ context }: CommandCall): (text: string) => void {
  if (context.terminal || context.format !== "table") return () => {};
  return (text) => context.out(`${safeText(text).padEnd(WIDTH)} ... done!\n`);
}
