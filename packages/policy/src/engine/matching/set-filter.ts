/**
 * Finds those of many sets of policies that may have a pattern for a resource, so that a look-up reads these alone. It holds
 * the hashes of the beginnings of all patterns: a set that it names may turn out to have none, but it misses no set.
 */

import { STEP_UNITS, type Steps } from "../work.ts";
import { NO_STATEMENT } from "./matches.ts";
import type { RequiredResource } from "./required-resource.ts";
import type { MatchingLists, RememberedBeginnings, SetBeginnings } from "./set-beginnings.ts";

/** Units of work of a pattern, and of a set besides. */
const PER_PATTERN = 20;
const PER_SET = 50;
/** Bytes of a pattern, and of a filter besides. */
const PATTERN_BYTES = 14;
const FILTER_BYTES = 1_024;
/** Most sets that a filter names for each resource because they came after its table was made: all of them cost 0.4 µs. */
export const MOST_LATER = 8;

/** The sets that a filter found for one resource. One object serves all look-ups without allocation. */
export class FoundSets {
  /** Positions of the sets, the first {@link count} of which are in force. */
  positions = new Int32Array(16);
  count = 0;
  #seen = new Int32Array(16);
  #look = 0;

  /** Begins a look-up among this many sets. */
  begin(sets: number): void {
    this.count = 0;
    if (sets > this.#seen.length) {
      this.positions = new Int32Array(sets * 2);
      this.#seen = new Int32Array(sets * 2);
      this.#look = 0;
    }
    // The largest number of look-ups that the array can tell apart.
    if (this.#look === 0x7fffffff) {
      this.#seen.fill(0);
      this.#look = 0;
    }
    this.#look++;
  }

  /** Adds a set, once. */
  add(position: number): void {
    if (this.#seen[position] === this.#look) return;
    this.#seen[position] = this.#look;
    this.positions[this.count++] = position;
  }
}

/** A set of policies, as a filter reads it. */
interface FilteredSet {
  readonly beginnings: RememberedBeginnings;
}

/** The beginnings of the patterns of many sets for one action. */
export class SetFilter {
  /** The lists of actions of the statements that it was made of. */
  readonly lists: MatchingLists;
  /** By position of a set, the order of its first statement of effect exactly `allow`, or `NO_STATEMENT`. */
  readonly openers: Int32Array;
  /** True if a set has such a statement. */
  readonly isOpening: boolean;
  /** Positions of the sets that any resource may concern, and of those that came after the table was made. */
  readonly #open: readonly number[];
  /** Number of the latter. */
  readonly #later: number;
  /** Lengths of the beginnings, ascending. */
  readonly #lengths: Int32Array;
  /** By bucket of a hash, where its patterns begin; one more for the end. */
  readonly #starts: Int32Array;
  /** By pattern, the rest of its hash and the position of its set. */
  readonly #prints: Uint16Array;
  readonly #sets: Int32Array;

  private constructor({ lists, openers, open, later, lengths, table }: FilterParts) {
    this.lists = lists;
    this.openers = openers;
    this.isOpening = openers.some((opener) => opener !== NO_STATEMENT);
    this.#open = open;
    this.#later = later;
    this.#lengths = lengths;
    this.#starts = table.starts;
    this.#prints = table.prints;
    this.#sets = table.sets;
  }

  /** Makes the filter for the actions that these lists match, step by step. */
  static *inSteps(sets: readonly FilteredSet[], lists: MatchingLists): Steps<SetFilter> {
    const found: SetBeginnings[] = [];
    for (const { beginnings } of sets)
      found.push(beginnings.known(lists) ?? (yield* beginnings.inSteps(lists)));
    return new SetFilter({ lists, ...partsOf(found), later: 0, table: yield* tableInSteps(found) });
  }

  /**
   * The filter of sets a few of which are others than those of this one: it names these for each resource, and costs as much
   * as they do. Undefined where too many came later; one is to be made anew then.
   * @param changed the other sets by their position
   * @param lists the lists of this filter, and those of the other sets that match its actions
   */
  *changedInSteps(
    changed: ReadonlyMap<number, FilteredSet>,
    lists: MatchingLists,
  ): Steps<SetFilter | undefined> {
    const open = [...new Set([...this.#open, ...changed.keys()])];
    const later = this.#later + open.length - this.#open.length;
    if (later > MOST_LATER) return undefined;
    const openers = this.openers.slice();
    for (const [position, { beginnings }] of changed)
      openers[position] = (yield* beginnings.inSteps(lists)).opener;
    const table = { starts: this.#starts, prints: this.#prints, sets: this.#sets };
    return new SetFilter({ lists, openers, open, later, lengths: this.#lengths, table });
  }

  /** About the bytes that it holds. */
  get bytes(): number {
    return FILTER_BYTES + this.openers.length * 8 + this.#sets.length * PATTERN_BYTES;
  }

  /** Adds the sets that may have a pattern for the resource. */
  find(required: RequiredResource, found: FoundSets): void {
    for (let index = 0; index < this.#open.length; index++) found.add(this.#open[index] as number);
    if (!required.isArn) return;
    const lengths = this.#lengths;
    const starts = this.#starts;
    const mask = starts.length - 2;
    for (let index = 0; index < lengths.length; index++) {
      const length = lengths[index] as number;
      if (length > required.length) return;
      const hash = required.hash(length);
      const bucket = bucketOf(hash, mask);
      const end = starts[bucket + 1] as number;
      for (let place = starts[bucket] as number; place < end; place++) {
        if (this.#prints[place] === printOf(hash)) found.add(this.#sets[place] as number);
      }
    }
  }
}

interface FilterParts {
  readonly lists: MatchingLists;
  readonly openers: Int32Array;
  readonly open: readonly number[];
  readonly later: number;
  readonly lengths: Int32Array;
  readonly table: Table;
}

function partsOf(beginnings: readonly SetBeginnings[]): Pick<FilterParts, "openers" | "open" | "lengths"> {
  const openers = new Int32Array(beginnings.length);
  const open: number[] = [];
  const lengths = new Set<number>();
  for (let position = 0; position < beginnings.length; position++) {
    const one = beginnings[position] as SetBeginnings;
    openers[position] = one.opener;
    if (one.isOpen) open.push(position);
    for (const length of one.lengths) lengths.add(length);
  }
  return { openers, open, lengths: Int32Array.from(lengths).sort() };
}

interface Table {
  readonly starts: Int32Array;
  readonly prints: Uint16Array;
  readonly sets: Int32Array;
}

function* tableInSteps(beginnings: readonly SetBeginnings[]): Steps<Table> {
  const patterns = beginnings.reduce((sum, { hashes }) => sum + hashes.length, 0);
  let size = 2;
  while (size < patterns * 2) size *= 2;
  const starts = new Int32Array(size + 1);
  const prints = new Uint16Array(patterns);
  const sets = new Int32Array(patterns);
  let work = 0;
  // First how many patterns each bucket has, then where each bucket ends; filling it moves that to where it begins.
  for (const { hashes } of beginnings) {
    for (const hash of hashes) (starts[bucketOf(hash, size - 1)] as number)++;
    work += PER_SET + hashes.length * PER_PATTERN;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  let sum = 0;
  for (let bucket = 0; bucket <= size; bucket++) {
    sum += starts[bucket] as number;
    starts[bucket] = sum;
  }
  for (let position = 0; position < beginnings.length; position++) {
    const { hashes } = beginnings[position] as SetBeginnings;
    for (const hash of hashes) {
      const bucket = bucketOf(hash, size - 1);
      const place = (starts[bucket] as number) - 1;
      starts[bucket] = place;
      prints[place] = printOf(hash);
      sets[place] = position;
    }
    work += PER_SET + hashes.length * PER_PATTERN;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return { starts, prints, sets };
}

function bucketOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask;
}

function printOf(hash: number): number {
  return hash >>> 16;
}
