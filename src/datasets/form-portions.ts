/** Checks the entries of a section against the schema in portions, as many values at a time as take a millisecond or two. */

import type { Schema } from "@svc-authorizer/policy/catalog/catalog.ts";
import { SAME_AS } from "@svc-authorizer/policy/catalog/schemas.ts";
import { DATASET_FORMAT } from "@svc-authorizer/policy/model/dataset.ts";
import { pointerOf, segmentsOf } from "@svc-authorizer/policy/source-files/source.ts";
import { movedPointer } from "./pieces/text-problems.ts";

/** Entries of a portion: the validator's work grows with the square of the problems in one document. */
const MOST_ENTRIES = 100;
/** Entries and elements of their lists that a portion has. */
const MOST_VALUES = 2_000;
/** Elements of one list that are checked together, where its entry has more than a portion. */
const SLICE = 1_000;

/** A problem of the form of a document. */
export interface FormProblem {
  readonly pointer: string;
  readonly message: string;
}

/** Problems, and undefined after each portion. */
type Problems = Generator<FormProblem | undefined, void>;

/** The problems of all entries, with pointers that begin with the section and the index of the entry. */
export function* problemsInPortions(section: string, entries: readonly unknown[], schema: Schema): Problems {
  for (let start = 0; start < entries.length; ) {
    let end = start;
    for (let values = 0; end < entries.length && end - start < MOST_ENTRIES; end++) {
      values += valuesOf(entries[end]);
      if (values > MOST_VALUES) break;
    }
    if (end > start) yield* problemsOf(section, entries.slice(start, end), start, schema);
    else yield* problemsOfLong(section, entries[end++] as object, start, schema);
    start = end;
    yield undefined;
  }
}

const listsOf = (entry: unknown): readonly (readonly [name: string, list: readonly unknown[]])[] =>
  typeof entry === "object" && entry !== null
    ? Object.entries(entry).filter((member): member is [string, unknown[]] => Array.isArray(member[1]))
    : [];

function valuesOf(entry: unknown): number {
  return listsOf(entry).reduce((sum, [, list]) => sum + list.length, 1);
}

function* problemsOf(section: string, some: readonly unknown[], start: number, schema: Schema) {
  for (const { pointer, message } of schema.problems({ format: DATASET_FORMAT, [section]: some }))
    yield { pointer: movedPointer(pointer, start), message };
}

/** The problems of an entry with long lists: of it with the beginning of each, and then of the rest of each. */
function* problemsOfLong(section: string, entry: object, index: number, schema: Schema): Problems {
  const long = listsOf(entry).filter(([, list]) => list.length > SLICE);
  const beginnings = Object.fromEntries(long.map(([name, list]) => [name, list.slice(0, SLICE)]));
  const short = { ...entry, ...beginnings };
  for (const problem of problemsOf(section, [short], index, schema)) {
    const name = segmentsOf(problem.pointer)[2] ?? "";
    if (!(name in beginnings && isTwice(problem))) yield problem;
  }
  for (const [name, list] of long) {
    for (let at = SLICE; at < list.length; at += SLICE) {
      yield undefined;
      const slice = { ...short, [name]: list.slice(at, at + SLICE) };
      for (const problem of problemsOf(section, [slice], index, schema)) {
        const [, , member, place, ...rest] = segmentsOf(problem.pointer);
        if (member !== name || place === undefined || isTwice(problem)) continue;
        const pointer = pointerOf([section, index, name, Number(place) + at, ...rest]);
        yield { pointer, message: problem.message };
      }
    }
    yield* textTwice(section, short, [name, list], index, schema);
  }
}

const isTwice = ({ message }: FormProblem): boolean => message.startsWith(SAME_AS);

/** The first text that is in a list twice, where the schema does not allow that. */
function* textTwice(
  section: string,
  entry: object,
  [name, list]: readonly [string, readonly unknown[]],
  index: number,
  schema: Schema,
): Problems {
  const places = new Map<string, number>();
  for (const [place, text] of list.entries()) {
    if (place % SLICE === 0) yield undefined;
    if (typeof text !== "string") continue;
    const before = places.get(text);
    if (before === undefined) {
      places.set(text, place);
      continue;
    }
    const twice = [...problemsOf(section, [{ ...entry, [name]: [text, text] }], index, schema)];
    if (!twice.some((problem) => segmentsOf(problem.pointer)[2] === name && isTwice(problem))) return;
    yield { pointer: pointerOf([section, index, name, place]), message: `${SAME_AS}${before}` };
    return;
  }
}
