/** The three-way comparison: what documents said last time, what they say now, and what is there (spec/management-cli §10). */

import type { Said } from "../../directory/batch.ts";
import type { Pause } from "../../schedule/pace.ts";
import { sameJson } from "../same-json.ts";

/**
 * Fields that keep their value if the documents do not name them: each entity has a date, a policy its label, and a user
 * is active or not.
 */
const CARRIED: ReadonlySet<string> = new Set(["creation_date", "acl", "inactive"]);

type Fields = Said["fields"];

/** The result of comparing fields. */
interface FieldsResult {
  /** Names of the fields that change, sorted. */
  readonly changed: readonly string[];
  /** All fields as they will be. */
  readonly fields: Fields;
  /** True if one of the changed fields was changed by somebody else since the last application. */
  readonly drifted: boolean;
}

/**
 * Compares fields. A field that the documents name gets their value. A field that they named last time and no longer
 * name is removed. All other fields stay as they are.
 */
export function compareThreeWays(last: Fields | undefined, now: Fields, there: Fields): FieldsResult {
  const fields: Record<string, unknown> = { ...there };
  const changed: string[] = [];
  let drifted = false;
  for (const name of new Set([...Object.keys(now), ...Object.keys(last ?? {})])) {
    const [wanted, said, present] = [now[name], last?.[name], there[name]];
    const result = wanted === undefined && CARRIED.has(name) ? present : wanted;
    if (sameJson(result, present)) continue;
    changed.push(name);
    if (said !== undefined && !sameJson(said, present)) drifted = true;
    if (result === undefined) delete fields[name];
    else fields[name] = result;
  }
  return { changed: changed.sort(), fields, drifted };
}

/** The result of comparing names of a list, such as the groups of a user. */
export interface NamesResult {
  readonly add: readonly { readonly name: string; readonly drifted: boolean }[];
  readonly remove: readonly string[];
}

/**
 * Compares the names of a list, which may be long: other work runs in between. What the documents say is added, and what
 * they said last time and no longer say is removed. What somebody else added stays.
 */
export async function compareNames(
  last: readonly string[] = [],
  now: readonly string[] = [],
  there: { has(name: string): boolean } | undefined,
  pause: Pause,
): Promise<NamesResult> {
  const [wanted, said] = [await setOf(now, pause), await setOf(last, pause)];
  const add: { readonly name: string; readonly drifted: boolean }[] = [];
  for (const name of wanted) {
    await pause();
    if (there?.has(name) !== true) add.push({ name, drifted: said.has(name) });
  }
  const remove: string[] = [];
  for (const name of said) {
    await pause();
    if (!wanted.has(name) && there?.has(name) === true) remove.push(name);
  }
  return { add, remove };
}

/** The names as a set; other work runs in between. */
export async function setOf(names: readonly string[] = [], pause: Pause): Promise<ReadonlySet<string>> {
  const set = new Set<string>();
  for (const name of names) {
    await pause();
    set.add(name);
  }
  return set;
}
