/** Merges the sources of a configuration: the first that gives an item decides its value. */

import {
  type Place,
  type ProblemSink,
  problemSink,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { rawFromJs } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { COMPUTED_DEFAULTS } from "./computed-defaults.ts";
import type { GivenValues } from "./given-values.ts";
import { ALL_ITEMS, type ConfigValues } from "./table.ts";
import { parseValue } from "./values/parse-value.ts";

/** The kind of source of a value. */
type OriginKind = "flag" | "variable" | "file" | "code" | "default";

/** The source of an item's value, for people and for the place of problems. */
export interface Origin {
  readonly kind: OriginKind;
  /** The flag, the variable, `file:line`, the item whose value is the default; may be empty. */
  readonly detail: string;
  readonly place: Place;
}

/** The origin of every item. */
export type Origins = ReadonlyMap<string, Origin>;

/** One source of values, the strongest first in a list of them. */
export interface Layer {
  readonly kind: OriginKind;
  readonly given: GivenValues;
  /** The folder to which relative paths of this source are relative. */
  readonly folder: string;
}

/** Merges the layers over the table's defaults. Parses the values of weaker layers too, to report all problems. */
export function mergeLayers(
  layers: readonly Layer[],
  home: string,
  sink: ProblemSink,
): { values: ConfigValues; origins: Origins } {
  const values = new Map<string, unknown>();
  const origins = new Map<string, Origin>();
  for (const { kind, given, folder } of layers) {
    for (const item of ALL_ITEMS) {
      const at = given.get(item.name);
      const value = at && parseValue(item, at.raw, { home, folder }, sink);
      if (value === undefined || values.has(item.name)) continue;
      values.set(item.name, value);
      origins.set(item.name, { kind, detail: detailOf(at?.place ?? {}), place: at?.place ?? {} });
    }
  }
  for (const item of ALL_ITEMS) {
    if (values.has(item.name)) continue;
    const raw = rawFromJs(item.default, {});
    values.set(item.name, parseValue(item, raw, { home, folder: home }, problemSink()));
    origins.set(item.name, { kind: "default", detail: "", place: {} });
  }
  computeDefaults(values, origins);
  return { values: Object.freeze(Object.fromEntries(values)) as ConfigValues, origins };
}

function computeDefaults(values: Map<string, unknown>, origins: Map<string, Origin>): void {
  for (const [name, compute] of COMPUTED_DEFAULTS) {
    if (values.get(name) !== undefined) continue;
    const computed = compute((other) => values.get(other));
    if (computed === undefined) continue;
    values.set(name, computed.value);
    const place = origins.get(computed.from)?.place ?? {};
    origins.set(name, { kind: "default", detail: computed.from, place });
  }
}

function detailOf({ file, line, source }: Place): string {
  if (file === undefined) return source ?? "";
  return line === undefined ? file : `${file}:${line}`;
}
