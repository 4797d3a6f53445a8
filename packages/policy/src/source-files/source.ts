/** A JSON or YAML file: its value, and the places of its parts. */

import { pointTo } from "../errors.ts";

/** 1-based place in a file. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds places of values by JSON pointer (RFC 6901). A pointer to what the file does not have (a missing field)
 * gets the place of the closest value around it. Costs a pass over the file: call it once, after a problem.
 */
type Locate = (pointers: readonly string[]) => ReadonlyMap<string, Position>;

/** A file, parsed and not yet checked. */
export interface DocumentSource {
  /** The path as given or found, for messages. */
  readonly file: string;
  readonly value: unknown;
  readonly locate: Locate;
}

/** One fault of a file's text, before there is a value. */
export interface TextFault {
  readonly pointer: string;
  readonly message: string;
  readonly position: Position | undefined;
  /** There is a value nevertheless: a field is written twice. */
  readonly isRepeated?: true;
}

/** The result of parsing a text: a value, or faults. */
export type Parsed =
  | { readonly value: unknown; readonly locate: Locate }
  | { readonly faults: readonly TextFault[] };

/** Writes a JSON pointer from its segments. */
export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.reduce<string>(pointTo, "");
}

/** Reads a JSON pointer into its segments. */
export function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
