/** Values of the options of commands that make commits. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "../command.ts";

/** Message and metadata of a new commit. */
interface CommitValues {
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Message and metadata.
 * @throws Error when the message is empty and may not be, or metadata is not `key=value`
 */
export function commitValuesOf({ options }: CommandCall): CommitValues {
  const message = textOption(options, "message") ?? "";
  if (message.trim() === "" && options["allowEmptyMessage"] !== true) {
    throw new Error('commit with no message without specifying the "--allow-empty-message" flag');
  }
  return { message, metadata: pairsOf(options["meta"]) };
}

/**
 * Values by name, from `key=value`.
 * @throws Error for anything else
 */
export function pairsOf(value: unknown): Readonly<Record<string, string>> {
  const pairs: readonly string[] = Array.isArray(value) ? value : [];
  const entries = pairs.map((pair): [string, string] => {
    const equals = pair.indexOf("=");
    if (equals < 0) throw new Error('invalid key/value pair - should be separated by "="');
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  // Object.fromEntries defines own fields, whatever their names.
  return Object.fromEntries(entries);
}

/** The value of `--parent-number`; undefined where it was not given. Throws an Error with `fault` below 1. */
export function parentNumberOf({ options }: CommandCall, fault: string): number | undefined {
  const number = options["parentNumber"];
  if (typeof number !== "number") return undefined;
  if (number < 1) throw new Error(fault);
  return number;
}
