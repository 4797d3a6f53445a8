import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "../../command.ts";

/** Width where the dots of all lines stand in one column. */
const WIDTH = 40;

/**
 * Prints a line for each file that was moved, where no progress bar shows that on a terminal.
 * @param width of what was done
 */
export function movedLine({ context }: CommandCall, width = WIDTH): (text: string) => void {
  if (context.terminal || context.format !== "table") return () => {};
  return (text) => context.out(`${safeText(text).padEnd(width)} ... done!\n`);
}
