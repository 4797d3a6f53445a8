/** Compares existing entities with a data set, field by field, and builds replacements. */

import type { DatasetMode } from "./plan.ts";
import { sameJson } from "./same-json.ts";

/** An entity as a set of fields. */
type Fields = Readonly<Record<string, unknown>>;

/** Fields that keep their value if the file does not name them. */
const CARRIED: ReadonlySet<string> = new Set([
  "creation_date",
  "encryptedPassword",
  "acl",
  "inactive",
  // People may have accepted findings by the API.
  "accept",
]);

/** The result of comparing an entity with its wanted form. */
interface FieldDifference<T> {
  /** Names of the fields that differ, sorted. */
  readonly fields: readonly string[];
  /** The wanted entity, with the carried fields of the existing one. */
  readonly replacement: T;
}

/**
 * Compares an entity with its wanted form. `sync` also compares fields that the file does not name, since it would
 * remove them. `load` compares only the fields that the file names.
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
