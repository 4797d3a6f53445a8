/** Turns the tree of a file or object into values by item name, and reports unknown names. */

import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import {
  type Place,
  type ProblemSink,
  problemOf,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import {
  type RawEntry,
  type RawMap,
  type RawValue,
  shapeName,
} from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { UNCHECKED_NAMES } from "./data-server-items.ts";
import { ALL_ITEMS, findItem } from "./table.ts";

/** Values as given in one source, with where each stands. */
export type GivenValues = ReadonlyMap<string, GivenAt>;

/** One given value and the place of its name. */
export interface GivenAt {
  readonly raw: RawValue;
  readonly place: Place;
}

const UNCHECKED: ReadonlySet<string> = new Set(UNCHECKED_NAMES);
const NAMES: readonly string[] = [...ALL_ITEMS.map((item) => item.name), ...UNCHECKED_NAMES];
const SECTIONS: ReadonlySet<string> = new Set(NAMES.flatMap(prefixesOf));
const KNOWN: readonly string[] = [...NAMES, ...SECTIONS];
/** Names by their lower case: a data server reads them in any letter case. */
const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(KNOWN.map((name) => [name.toLowerCase(), name]));
const SECRETS: ReadonlySet<string> = new Set(
  ALL_ITEMS.flatMap((item) => ("secret" in item && item.secret === true ? [item.name] : [])),
);
const FORMER_SECRET = /\.access_secret_key$/;

/** Unknown items that get a suggestion; more than that is no typing error. */
const MOST_SUGGESTIONS = 100;

/**
 * The items that a tree of sections gives; names may also be written with dots. An unknown item below
 * `authorizer.` is a problem, any other a warning; items of the data server whose type is not known are passed over.
 */
export function givenValues(tree: RawMap, sink: ProblemSink): GivenValues {
  const given = new Map<string, GivenAt>();
  let unknown = 0;
  const visit = (entry: RawEntry, prefix: string): void => {
    const name = knownName(prefix + entry.key);
    const item = findItem(name);
    if (item !== undefined) {
      const first = given.get(item.name);
      if (first === undefined) given.set(item.name, { raw: entry.value, place: entry.place });
      else sink.problems.push(problemOf(name, `is given twice${lineOf(first.place)}`, entry.place));
    } else if (UNCHECKED.has(name)) {
      return;
    } else if (SECTIONS.has(name)) {
      visitSection(name, entry, sink, visit);
    } else {
      unknown += 1;
      reportUnknown(name, entry.place, sink, unknown <= MOST_SUGGESTIONS);
    }
  };
  for (const entry of tree.entries) visit(entry, "");
  return given;
}

function visitSection(
  name: string,
  entry: RawEntry,
  sink: ProblemSink,
  visit: (entry: RawEntry, prefix: string) => void,
): void {
  const { value, place } = entry;
  if (value.shape === "map") for (const below of value.entries) visit(below, `${name}.`);
  else if (value.shape !== "null") {
    sink.problems.push(problemOf(name, `expected a section of items, found ${shapeName(value)}`, place));
  }
}

function reportUnknown(name: string, place: Place, sink: ProblemSink, suggest: boolean): void {
  const shown = shownName(name);
  const problem = problemOf(shown, `unknown item${suggest ? hint(name) : ""}`, place);
  (name.startsWith("authorizer.") ? sink.problems : sink.warnings).push(problem);
}

/** Reports a name that is no item, wherever it was given, as a problem. */
export function unknownItem(name: string, place: Place): ReturnType<typeof problemOf> {
  return problemOf(shownName(name), `unknown item${hint(name)}`, place);
}

/** The item that a name in any letter case means, also by its former name; another text as it is. */
function knownName(written: string): string {
  const lower = written.toLowerCase();
  return (
    BY_LOWER_CASE.get(lower) ??
    BY_LOWER_CASE.get(lower.replace(FORMER_SECRET, ".secret_access_key")) ??
    written
  );
}

/** "Did you mean", which names a secret only to who writes in its section: nobody is to move one elsewhere. */
function hint(name: string): string {
  const section = name.toLowerCase().slice(0, name.lastIndexOf(".") + 1);
  return suggestion(
    name,
    KNOWN.filter((one) => !SECRETS.has(one) || one.slice(0, one.lastIndexOf(".") + 1) === section),
  );
}

function shownName(name: string): string {
  const short = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return /^[\w.<>\-…]+$/.test(short) ? short : JSON.stringify(short);
}

function lineOf(place: Place): string {
  return place.line === undefined ? "" : `, first in line ${place.line}`;
}

/** `a`, `a.b` of `a.b.c`. */
function prefixesOf(name: string): readonly string[] {
  const segments = name.split(".");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("."));
}
