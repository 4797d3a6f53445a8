/** Checks the entries of a section against the schema in portions, as many values at a time as take a millisecond or two. */

import type { Schema } from "@svc-authorizer/policy/catalog/catalog.ts";
import { SAME_AS } from "@svc-authorizer/policy/catalog/schemas.ts";
import { DATASET_FORMAT } from "@svc-authorizer/policy/model/dataset.ts";
import { pointerOf, segmentsOf } from "@svc-authorizer/policy/source-files/source.ts";
import { movedPointer } from "./pieces/text-problems.ts";

/** Entries of a portion: the validator's work grows with the square of the problems in one document. */
const MOST_ENTRIES = 100;
/** Values of the entries that a portion has, at any depth. */
const MOST_VALUES = 2_000;
/** Values that are checked together, where their entry has more than a portion. */
const SLICE = 1_000;

/** Most members of an object in an entry; of properties and conditions, fewer can be stored. To list more of them takes too long. */
const MOST_MEMBERS = 10_000;

/** Members that the schemas require of something in an entry: what is checked without its other members has these. */
export const REQUIRED_MEMBERS: ReadonlySet<string> = new Set([
  "access_key_id",
  "action",
  "actions",
  "arn",
  "effect",
  "id",
  "name",
  "reason",
  "resource",
  "rule",
  "secret_access_key",
  "secret_access_key_env",
  "statement",
  "type",
  "username",
]);

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
      values += valuesUpTo(entries[end], MOST_VALUES + 1);
      if (values > MOST_VALUES) break;
    }
    if (end > start) yield* problemsOf(section, entries.slice(start, end), start, schema);
    else yield* new LongEntry(section, start, schema).problems(entries[end++] as Members | unknown[]);
    start = end;
    yield undefined;
  }
}

/** Values that something has, itself and those at any depth; counted no further than to a number. */
function valuesUpTo(value: unknown, most: number): number {
  if (!isContainer(value)) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    for (const member of value) {
      if (count >= most) break;
      count += valuesUpTo(member, most - count);
    }
    return count;
  }
  // To list the values of an object takes several times as long.
  for (const name in value) {
    if (count >= most) break;
    count += valuesUpTo((value as Members)[name], most - count);
  }
  return count;
}

/** True for an object with more members than are looked at. */
function hasTooMany(value: Members | readonly unknown[]): boolean {
  let count = 0;
  if (!Array.isArray(value)) for (const _ in value) if (++count > MOST_MEMBERS) return true;
  return false;
}

type Members = Readonly<Record<string, unknown>>;

const isContainer = (value: unknown): value is Members | readonly unknown[] =>
  typeof value === "object" && value !== null;

function* problemsOf(section: string, some: readonly unknown[], start: number, schema: Schema) {
  for (const { pointer, message } of schema.problems({ format: DATASET_FORMAT, [section]: some }))
    yield { pointer: movedPointer(pointer, start), message };
}

const isTwice = (message: string): boolean => message.startsWith(SAME_AS);

/** The beginning of something: valid or not as the whole is, apart from its members. */
function outlineOf(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.slice(0, 1).map(outlineOf);
  return requiredOf(value as Members);
}

function requiredOf(value: Members): Members {
  const names = [...REQUIRED_MEMBERS].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, outlineOf(value[name])]));
}

/** A list or an object in an entry, on the way to what is checked. */
interface Place {
  /** Names and indexes on the way to it, in the entry. */
  readonly path: readonly (string | number)[];
  /** The same in the entry that {@link around} makes. */
  readonly made: readonly string[];
  /** The entry with something else in its place, and with no more of the rest than is required. */
  readonly around: (value: unknown) => unknown;
}

/** An entry with more values than a portion. It is checked with some of them at a time. */
class LongEntry {
  readonly #section: string;
  readonly #index: number;
  readonly #schema: Schema;

  constructor(section: string, index: number, schema: Schema) {
    this.#section = section;
    this.#index = index;
    this.#schema = schema;
  }

  /** The problems, with pointers that begin with the section and the index. */
  problems(entry: Members | readonly unknown[]): Problems {
    return this.#container({ path: [], made: [], around: (value) => value }, entry);
  }

  *#container(place: Place, value: Members | readonly unknown[]): Problems {
    if (hasTooMany(value)) {
      yield this.#problem(place.path, `has more than ${MOST_MEMBERS} members`);
      return;
    }
    const isList = Array.isArray(value);
    const outline = isList ? value.slice(0, SLICE).map(outlineOf) : outlineOf(value);
    for (const { inside, message } of this.#found(place, outline))
      if (inside.length === 0) yield this.#problem(place.path, message);
    let some: [name: string, member: unknown][] = [];
    let values = 0;
    for (const [name, member] of Object.entries(value)) {
      const own = valuesUpTo(member, SLICE + 1);
      if (values + own > SLICE) {
        yield* this.#members(place, value, some);
        [some, values] = [[], 0];
      }
      if (own > SLICE) yield* this.#container(inner(place, value, name), member as Members);
      else {
        some.push([name, member]);
        values += own;
      }
    }
    yield* this.#members(place, value, some);
    if (isList) yield* this.#textTwice(place, value);
  }

  /** The problems of some members of what is at a place. */
  *#members(
    place: Place,
    whole: Members | readonly unknown[],
    some: readonly (readonly [name: string, member: unknown])[],
  ): Problems {
    if (some.length === 0) return;
    const isList = Array.isArray(whole);
    const made = isList
      ? some.map(([, member]) => member)
      : { ...requiredOf(whole as Members), ...Object.fromEntries(some) };
    const names = new Map(some.map(([name], index) => [isList ? String(index) : name, name]));
    for (const { inside, message } of this.#found(place, made)) {
      const [first, ...rest] = inside;
      const name = first === undefined ? undefined : names.get(first);
      // That an element is there twice is said of the whole list.
      if (name === undefined || (isList && rest.length === 0 && isTwice(message))) continue;
      yield this.#problem([...place.path, name, ...rest], message);
    }
    yield undefined;
  }

  /** The problems at a place and inside, if this is there. */
  #found(place: Place, value: unknown): { inside: readonly string[]; message: string }[] {
    const document = { format: DATASET_FORMAT, [this.#section]: [place.around(value)] };
    return this.#schema.problems(document).flatMap(({ pointer, message }) => {
      const [, , ...segments] = segmentsOf(pointer);
      const isAtPlace = place.made.every((step, depth) => segments[depth] === step);
      return isAtPlace ? [{ inside: segments.slice(place.made.length), message }] : [];
    });
  }

  /** The first text that is in a list twice, where the schema does not allow that. */
  *#textTwice(place: Place, list: readonly unknown[]): Problems {
    const places = new Map<string, number>();
    for (const [index, text] of list.entries()) {
      if (index % SLICE === 0) yield undefined;
      if (typeof text !== "string") continue;
      const before = places.get(text);
      if (before === undefined) {
        places.set(text, index);
        continue;
      }
      const isRefused = this.#found(place, [text, text]).some(
        ({ inside, message }) => inside.length === 1 && isTwice(message),
      );
      if (isRefused) yield this.#problem([...place.path, index], `${SAME_AS}${before}`);
      return;
    }
  }

  #problem(path: readonly (string | number)[], message: string): FormProblem {
    return { pointer: pointerOf([this.#section, this.#index, ...path]), message };
  }
}

/** The place of a member. */
function inner(place: Place, whole: Members | readonly unknown[], name: string): Place {
  const { path, made, around } = place;
  if (Array.isArray(whole))
    return { path: [...path, name], made: [...made, "0"], around: (value) => around([value]) };
  return {
    path: [...path, name],
    made: [...made, name],
    around: (value) => around({ ...requiredOf(whole as Members), [name]: value }),
  };
}
