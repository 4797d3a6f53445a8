/** URIs among the arguments of a command, and the lines that repeat them. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "../command.ts";
import { parseUri, type SvcUri, type UriKind, uriText } from "./svc-uri.ts";

/** Reads an argument or the value of an option as a URI, relative to `--base-uri` or `$SVCCTL_BASE_URI`. */
export function uriOf({ context }: CommandCall, name: string, text: string, kind: UriKind): SvcUri {
  return parseUri(name, text, kind, context.baseUri);
}

/** Reads the argument at a place. */
export function uriArgument(call: CommandCall, index: number, name: string, kind: UriKind): SvcUri {
  return uriOf(call, name, call.args[index] ?? "", kind);
}

/** Prints which thing a command works on, as `Branch: svc://repository/main`; only for people. */
export function announce({ context, options }: CommandCall, label: string, uri: SvcUri): void {
  if (context.format !== "table" || options["json"] === true) return;
  context.out(`${label}: ${safeText(uriText(uri))}\n`);
}

/**
 * Refuses two URIs of different repositories.
 * @throws Error with the message
 */
export function requireSameRepository(
  left: SvcUri,
  right: SvcUri,
  message = "both references must belong to the same repository",
): void {
  if (left.repository !== right.repository) throw new Error(message);
}
