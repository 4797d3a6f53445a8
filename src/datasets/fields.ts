/** Which fields of what exists differ from what a data set asks for, and what a replacement has to carry over. */

import type { DatasetMode } from "./plan.ts";
import { sameJson } from "./same-json.ts";

/** An entity as a set of fields. */
type Fields = Readonly<Record<string, unknown>>;

/** Fields that only a file that names them sets: where the file has none, they stay as they are. */
const CARRIED: ReadonlySet<string> = new Set(["creation_date", "encryptedPassword", "acl"]);

/** The result of comparing an entity with what is wanted. */
export interface FieldDifference<T> {
  /** Names of the fields that differ, sorted. */
  readonly fields: readonly string[];
  /** The wanted entity with what is carried over from the existing one. */
  readonly replacement: T;
}

/**
 * Compares an entity with the wanted form. For `sync` a field that the file does not name differs, too: it would be
 * removed. For `load` only the fields that the file names are compared.
 */
export function compareFields<T extends object>(
  wanted: T,
  existing: T,
  mode: DatasetMode,
): FieldDifference<T> {
  const want = wanted as Fields;
  const have = existing as Fields;
  const replacement: Record<string, unknown> = { ...want };
  for (const [name, value] of Object.entries(have)) {
    if (want[name] === undefined && (mode === "load" || CARRIED.has(name))) replacement[name] = value;
  }
  const names = new Set([...Object.keys(have), ...Object.keys(want)]);
  const fields = [...names].filter((name) => !sameJson(have[name], replacement[name])).sort();
  return { fields, replacement: replacement as T };
}
