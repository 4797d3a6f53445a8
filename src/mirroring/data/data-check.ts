/** Checks that the data of a commit is at the destination: the one place that lets a commit become visible. */

import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import type { DataLooks } from "../ports.ts";
import { type GoneAtSource, LostObjects } from "./missing-data.ts";
import { pathText } from "./path-text.ts";
import { changedObjects, isWhole, type ObjectEntry, objectsOf, type RangeEntry, rangesOf } from "./tables.ts";

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
  /** Called after each range that was added to those that are whole. */
  readonly noted?: () => Promise<void>;
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
  /** Those of them that the source lost at the first look, and that wait for the second. */
  awaited: number;
  /** Unix milliseconds of the earliest second look; infinite for none. */
  dueAt: number;
  /** Objects outside the namespace that were new in the commit. */
  external: number;
  /** Things that the source lost, too. */
  gone: number;
  /** Objects that were looked at. */
  looks: number;
  readonly examples: string[];
  /** An object whose path a server does not take: nobody can read it, and it is among those that are missing. */
  notServed: string | undefined;
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
    const found = {
      missing: 0,
      awaited: 0,
      dueAt: Number.POSITIVE_INFINITY,
      external: 0,
      gone: 0,
      looks: 0,
      examples: [] as string[],
      notServed: undefined,
    };
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
    if (ranges === undefined) return this.#noteMissingTable(commit, "meta_range", commit.metaRangeId, found);
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
      if (found.missing !== missingBefore || found.external !== externalBefore) continue;
      verified.add(range.id);
      this.#options.gone.forget(thingOf(commit, range));
      await this.#options.noted?.();
    }
  }

  async #checkRange(
    commit: CheckedCommit,
    range: RangeEntry,
    before: readonly RangeEntry[],
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const thing = thingOf(commit, range);
    const waiting = this.#options.gone.waiting(thing);
    if (waiting > 0) return this.#await(thing, waiting, found);
    const table = await this.#table("range", range.id);
    if (table === undefined) return this.#noteMissingTable(commit, "range", range.id, found);
    const overlapping = before.filter(
      (one) => Buffer.compare(one.first, range.last) <= 0 && Buffer.compare(range.first, one.last) <= 0,
    );
    const changed = changedObjects(objectsOf(table), this.#tablesOf(overlapping));
    const missingBefore = found.missing;
    const lost = new LostObjects();
    let isCut = false;
    const looked = (async function* () {
      for await (const one of changed) {
        isCut = found.missing >= missingBefore + MOST_MISSING;
        if (isCut) return;
        yield one;
      }
    })();
    await forEachParallel(looked, AT_ONCE, (object) => this.#look(commit.id, object, lost, found));
    if (lost.count === 0) return;
    // What is gone was not seen whole where the look was cut off: it is no look.
    if (isCut) found.missing += lost.count;
    else this.#noteGone(thing, lost, found.missing === missingBefore, found);
  }

  async #look(
    commit: string,
    { path, size, isFull }: ObjectEntry,
    lost: LostObjects,
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    if (isFull) {
      found.external += 1;
      return;
    }
    const object = { commit, path, size };
    const { destination, mirror, source, sourceRepository } = this.#options;
    found.looks += 1;
    if (found.looks % 100 === 0) await this.#options.alive();
    const presence = await destination.object(mirror, object);
    if (presence === "there") return;
    if ((await source.object(sourceRepository, object)) === "gone") {
      lost.add(path);
      return;
    }
    found.missing += 1;
    const example = `${pathText(path)} of ${commit}`;
    if (presence === "not served") found.notServed ??= example;
    else if (found.examples.length < EXAMPLES) found.examples.push(example);
  }

  async #noteMissingTable(
    commit: CheckedCommit,
    kind: "meta_range" | "range",
    id: string,
    found: Omit<Found, "isComplete">,
  ): Promise<void> {
    const { source, sourceRepository, gone } = this.#options;
    const thing = thingOf(commit, { id });
    if ((await source.table(sourceRepository, kind, id)) !== "gone") {
      gone.forget(thing);
      found.missing += 1;
      if (found.examples.length < EXAMPLES) found.examples.push(`${kind} ${id}`);
      return;
    }
    const lost = new LostObjects();
    lost.add(Buffer.from(id));
    this.#noteGone(thing, lost, true, found);
  }

  #noteGone(thing: string, lost: LostObjects, isAll: boolean, found: Omit<Found, "isComplete">): void {
    const noted = this.#options.gone.note(thing, lost.digest, lost.count, isAll);
    if (noted === "gone") found.gone += lost.count;
    else if (noted === "full") found.missing += lost.count;
    else this.#await(thing, lost.count, found);
  }

  #await(thing: string, count: number, found: Omit<Found, "isComplete">): void {
    found.missing += count;
    found.awaited += count;
    const dueAt = this.#options.gone.dueAt(thing);
    found.dueAt = Math.min(found.dueAt, dueAt);
    if (found.examples.length >= EXAMPLES) return;
    const again = new Date(dueAt).toISOString();
    found.examples.push(
      `${count} things of ${thing} that the source lost, too; they are looked for again at ${again}`,
    );
  }

  /** The tables of the parent's ranges, one after the other; objects of one that cannot be read any more count as new. */
  #tablesOf(ranges: readonly RangeEntry[]): () => Promise<Iterable<ObjectEntry> | undefined> {
    const left = [...ranges];
    return async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const table = await this.#table("range", next.id);
        if (table !== undefined) return objectsOf(table);
      }
      return undefined;
    };
  }

  async #ranges(metaRange: string): Promise<readonly RangeEntry[] | undefined> {
    const table = await this.#table("meta_range", metaRange);
    return table && rangesOf(table);
  }

  /** A table that is whole; undefined where the store has none, or a part of it. */
  async #table(kind: "meta_range" | "range", id: string): Promise<Buffer | undefined> {
    const { destination, mirror } = this.#options;
    const table = await destination.table(mirror, kind, id);
    return typeof table !== "string" && (await isWhole(table)) ? table : undefined;
  }
}

/** Name of a table among what is gone: what it lacks depends on the commit, whose parent it is compared with. */
function thingOf({ id: commit }: Pick<CheckedCommit, "id">, { id }: Pick<RangeEntry, "id">): string {
  return `${commit}/${id}`;
}
