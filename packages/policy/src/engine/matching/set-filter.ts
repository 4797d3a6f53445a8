/**
 * Finds those of many sets of policies that may have a pattern for a resource, so that a look-up reads these alone. It holds
 * the hashes of the beginnings of all patterns: a set that it names may turn out to have none, but it misses no set.
 */

import { STEP_UNITS, type Steps } from "../work.ts";
import type { ActionIndex, ActionIndexes } from "./action-indexes.ts";
import type { RequiredResource } from "./required-resource.ts";

/** Units of work of a pattern. */
const PER_PATTERN = 20;
/** Bytes of a pattern, and of a filter besides. */
const PATTERN_BYTES = 14;
const FILTER_BYTES = 1_024;

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

/** The beginnings of the patterns of many sets for one action. */
export class SetFilter {
  /** The indexes that it was made of, by the position of their set. */
  readonly #rows: readonly ActionIndex[];
  /** Positions of the sets that any resource may concern. */
  readonly #open: readonly number[];
  /** Lengths of the beginnings, ascending. */
  readonly #lengths: Int32Array;
  /** By bucket of a hash, where its patterns begin; one more for the end. */
  readonly #starts: Int32Array;
  /** By pattern, the rest of its hash and the position of its set. */
  readonly #prints: Uint16Array;
  readonly #sets: Int32Array;

  private constructor(
    rows: readonly ActionIndex[],
    open: readonly number[],
    lengths: Int32Array,
    table: Pick<Table, "starts" | "prints" | "sets">,
  ) {
    this.#rows = rows;
    this.#open = open;
    this.#lengths = lengths;
    this.#starts = table.starts;
    this.#prints = table.prints;
    this.#sets = table.sets;
  }

  /** Makes the filter for an action, step by step, and the indexes of the sets that are missing. */
  static *inSteps(
    sets: readonly { readonly indexes: ActionIndexes }[],
    action: string,
    known: Iterable<SetFilter>,
  ): Steps<SetFilter> {
    const rows: ActionIndex[] = [];
    for (const { indexes } of sets) rows.push(indexes.known(action) ?? (yield* indexes.build(action)));
    for (const other of known) if (other.#isOf(rows)) return other;
    const open: number[] = [];
    const lengths = new Set<number>();
    let patterns = 0;
    for (const [position, { resources }] of rows.entries()) {
      if (resources.some(({ hasOpenPatterns }) => hasOpenPatterns)) open.push(position);
      for (const resource of resources) {
        patterns += resource.hashes.length;
        for (const length of resource.lengths) lengths.add(length);
      }
    }
    const table = yield* tableInSteps(rows, patterns);
    return new SetFilter(rows, open, Int32Array.from(lengths).sort(), table);
  }

  /** About the bytes that it holds. */
  get bytes(): number {
    return FILTER_BYTES + this.#rows.length * 8 + this.#sets.length * PATTERN_BYTES;
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

  #isOf(rows: readonly ActionIndex[]): boolean {
    const own = this.#rows;
    if (own.length !== rows.length) return false;
    for (let index = 0; index < own.length; index++) if (own[index] !== rows[index]) return false;
    return true;
  }
}

interface Table {
  readonly starts: Int32Array;
  readonly prints: Uint16Array;
  readonly sets: Int32Array;
}

function* tableInSteps(rows: readonly ActionIndex[], patterns: number): Steps<Table> {
  let size = 2;
  while (size < patterns * 2) size *= 2;
  const starts = new Int32Array(size + 1);
  const prints = new Uint16Array(patterns);
  const sets = new Int32Array(patterns);
  let work = 0;
  // First how many patterns each bucket has, then where each bucket ends; filling it moves that to where it begins.
  for (const { resources } of rows) {
    for (const { hashes } of resources) {
      for (const hash of hashes) (starts[bucketOf(hash, size - 1)] as number)++;
      work += hashes.length * PER_PATTERN;
    }
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  let sum = 0;
  for (let bucket = 0; bucket <= size; bucket++) {
    sum += starts[bucket] as number;
    starts[bucket] = sum;
  }
  for (const [position, { resources }] of rows.entries()) {
    for (const { hashes } of resources) {
      for (const hash of hashes) {
        const bucket = bucketOf(hash, size - 1);
        const place = (starts[bucket] as number) - 1;
        starts[bucket] = place;
        prints[place] = printOf(hash);
        sets[place] = position;
      }
      work += hashes.length * PER_PATTERN;
    }
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
