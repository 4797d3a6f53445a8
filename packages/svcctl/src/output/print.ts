/** Prints what a command found or did: as text for people, as the API's own JSON, or in a format of `--output`. */

import type { CommandCall } from "../command.ts";
import { jsonText } from "./json-text.ts";
import { structuredText } from "./structured.ts";

/**
 * Prints one object.
 * @param text what people see; called for the format "table" only
 */
export async function printObject(
  { context, options }: CommandCall,
  object: object,
  text: () => string,
): Promise<void> {
  if (options["json"] === true) context.out(jsonText(object));
  else if (context.format === "table") context.out(text());
  else context.out(await structuredText(context.format, object));
}

/** Prints what a command did. */
export function printDone(call: CommandCall, message: string): Promise<void> {
  return printObject(call, { message }, () => `${message}\n`);
}
