/** Checks that the data of a commit is at the destination: the one place that lets a commit become visible. */

import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import type { DataLooks, Presence } from "../ports.ts";
import type { GoneAtSource } from "./missing-data.ts";
import { changedObjects, type ObjectEntry, objectsOf, type RangeEntry, rangesOf } from "./tables.ts";

/** Objects that are looked at at once. */
const AT_ONCE = 16;
/** Missing objects of one range after which the rest of it is not looked at. */
const MOST_MISSING = 100;
/** Examples of missing data that are told. */
const EXAMPLES = 5;

/** The two sides of a mirror. */
interface CheckOptions {
  readonly source: DataLooks;
  readonly sourceRepository: string;
  readonly destination: DataLooks;
  readonly mirror: string;
  /** True: an object that lies outside the namespace holds its commit back. */
  readonly blocksExternal: boolean;
  readonly gone: GoneAtSource;
  /** Called between looks; throws where the work has to end. */
  readonly alive: () => Promise<void>;
}

/** A commit that is checked. */
interface CheckedCommit {
  readonly id: string;
  readonly metaRangeId: string;
  /** Metarange of the first parent, which is complete; "" where there is none. */
  readonly parentMetaRangeId: string;
}

/** Findings of a check. */
export interface Found {
  /** True where nothing holds the commit back. */
  readonly isComplete: boolean;
  /** Things that are missing: a lower bound. */
  missing: number;
  /** Objects outside the namespace that were new in the commit. */
  external: number;
  /** Things that the source lost, too. */
  gone: number;
  /** Objects that were looked at. */
  looks: number;
  readonly examples: string[];
}

/** Checks commits of one mirror. */
export class DataCheck {
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /**
   * Looks at everything that a commit has and its first parent has not.
   * @param verified ids of ranges of this commit that were whole before; those that are whole now are added
   * @throws CallFailed where a server does not answer: nothing is known then
   */
  async check(commit: CheckedCommit, verified: Set<string>): Promise<Found> {
    const found = { missing: 0, external: 0, gone: 0, looks: 0, examples: [] as string[] };
    if (commit.metaRangeId !== "") await this.#checkRanges(commit, verified, found);
    const isBlocked = found.missing > 0 || (this.#options.blocksExternal && found.external > 0);
    return { ...found, isComplete: !isBlocked };
  }

  async #checkRanges(
    commit: CheckedCommit,
    verified: Set<string>,
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const ranges = await this.#ranges(commit.metaRangeId);
    if (ranges === undefined) return this.#noteMissingTable("meta_range", commit.metaRangeId, found);
    const { parentMetaRangeId: parent } = commit;
    // What the parent's own check took for gone cannot be compared with.
    const before = parent === "" ? [] : ((await this.#ranges(parent)) ?? []);
    const shared = new Set(before.map(({ id }) => id));
    for (const range of ranges) {
      if (shared.has(range.id) || verified.has(range.id)) continue;
      await this.#options.alive();
      const missingBefore = found.missing;
      const externalBefore = found.external;
      await this.#checkRange(commit, range, before, found);
      if (found.missing === missingBefore && found.external === externalBefore) verified.add(range.id);
    }
  }

  async #checkRange(
    { id: commit, metaRangeId }: CheckedCommit,
    range: RangeEntry,
    before: readonly RangeEntry[],
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const table = await this.#table("range", range.id);
    if (table === undefined) return this.#noteMissingTable("range", range.id, found);
    const overlapping = before.filter(
      (one) => Buffer.compare(one.first, range.last) <= 0 && Buffer.compare(range.first, one.last) <= 0,
    );
    const old = await this.#objects(overlapping);
    const stopAt = found.missing + MOST_MISSING;
    const looked = (function* () {
      for (const one of changedObjects(objectsOf(table), old)) {
        if (found.missing >= stopAt) return;
        yield one;
      }
    })();
    await forEachParallel(looked, AT_ONCE, (object) => this.#look(commit, metaRangeId, object, found));
  }

  async #look(
    commit: string,
    metaRangeId: string,
    { path, size, address, isFull }: ObjectEntry,
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const name = path.toString();
    if (isFull) {
      found.external += 1;
      return;
    }
    const object = { commit, path: name, size };
    const { destination, mirror, source, sourceRepository } = this.#options;
    found.looks += 1;
    if (found.looks % 100 === 0) await this.#options.alive();
    if ((await destination.object(mirror, object)) === "there") return;
    const atSource = await source.object(sourceRepository, object);
    this.#note(`object ${address || metaRangeId + name}`, `${name} of ${commit}`, atSource, found);
  }

  async #noteMissingTable(
    kind: "meta_range" | "range",
    id: string,
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const { source, sourceRepository } = this.#options;
    const atSource = await source.table(sourceRepository, kind, id);
    const presence = typeof atSource === "string" ? atSource : "there";
    this.#note(`${kind} ${id}`, `${kind} ${id}`, presence, found);
  }

  #note(thing: string, text: string, atSource: Presence, found: Omit<Found, "isComplete">): void {
    if (this.#options.gone.isGone(thing, atSource)) {
      found.gone += 1;
      return;
    }
    found.missing += 1;
    if (found.examples.length < EXAMPLES) found.examples.push(text);
  }

  /** The objects of ranges of the parent; those of a range that cannot be read any more count as new. */
  async #objects(ranges: readonly RangeEntry[]): Promise<Generator<ObjectEntry>> {
    const tables: Buffer[] = [];
    for (const { id } of ranges) {
      const table = await this.#table("range", id);
      if (table !== undefined) tables.push(table);
    }
    return (function* () {
      for (const table of tables) yield* objectsOf(table);
    })();
  }

  async #ranges(metaRange: string): Promise<readonly RangeEntry[] | undefined> {
    const table = await this.#table("meta_range", metaRange);
    return table && rangesOf(table);
  }

  /** A table that is whole; undefined where the store has none, or a part of it. */
  async #table(kind: "meta_range" | "range", id: string): Promise<Buffer | undefined> {
    const { destination, mirror } = this.#options;
    const table = await destination.table(mirror, kind, id);
    return typeof table !== "string" && isWhole(table) ? table : undefined;
  }
}

/** True for a table whose every block can be read. */
function isWhole(table: Buffer): boolean {
  try {
    for (const _ of objectsOf(table));
    return true;
  } catch {
    return false;
  }
}
