/** Looks again at the data of heads that a mirror shows (spec/mirroring §4): a store may lose what was there. */

import { commitId } from "./commit-identity.ts";
import { DataCheck } from "./data/data-check.ts";
import { GoneAtSource } from "./data/missing-data.ts";
import type { Destination, Source } from "./ports.ts";
import type { Progress } from "./progress/progress.ts";

/** Parts that it works with. */
interface RecheckOptions {
  readonly source: Source;
  readonly sourceRepository: string;
  readonly destination: Destination;
  readonly mirror: string;
  /** Milliseconds from one recheck to the next; 0 for none. */
  readonly recheckMs: number;
  /** Milliseconds to the next one after one that found something missing, at most. */
  readonly recheckMissingMs: number;
  /** Throws where the work has to end. */
  readonly alive: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Sentences about branches that have lost data that are kept; more are not told. */
const MOST_LOST = 20;

/** Rechecks the heads of one mirror. The time of the newest one, and what it found, is kept with the progress. */
export class Recheck {
  readonly #options: RecheckOptions;

  constructor(options: RecheckOptions) {
    this.#options = options;
  }

  /**
   * Looks at every object of every head where that is due; one look for each.
   * @returns sentences about what has gone and is still at the source, of the newest recheck
   */
  async pass(progress: Progress): Promise<readonly string[]> {
    const { recheckMs, recheckMissingMs, now } = this.#options;
    if (recheckMs === 0) return [];
    const known = progress.state.recheck ?? { at: now(), lost: [] };
    if (progress.state.recheck === undefined) progress.state = { ...progress.state, recheck: known };
    // The return of what is missing is to be seen sooner. A clock that went back says nothing about the last one.
    const waitMs = known.lost.length > 0 ? Math.min(recheckMs, recheckMissingMs) : recheckMs;
    if (Math.abs(now() - known.at) < waitMs) return known.lost;
    const lost: string[] = [];
    const heads = new Map(
      Object.entries(progress.state.branches).flatMap(([name, { position }]) =>
        position === undefined || position.isForeign === true ? [] : [[position.commit, name] as const],
      ),
    );
    for (const [commit, branch] of heads) {
      const example = await this.#lostOf(commit);
      if (example !== undefined && lost.length < MOST_LOST)
        lost.push(`data of the branch ${branch} is not there any more: ${example}`);
    }
    progress.state = { ...progress.state, recheck: { at: now(), lost } };
    return lost;
  }

  async #lostOf(commit: string): Promise<string | undefined> {
    const { source, sourceRepository, alive } = this.#options;
    await alive();
    const log = await source.log(sourceRepository, commit, 1);
    const found = log?.find(({ id }) => id === commit);
    if (found === undefined || commitId(found) !== commit) return undefined;
    // What the source lost, too, is no loss of the mirror.
    const gone = new GoneAtSource([], { apartMs: 0, now: () => 0 });
    const check = new DataCheck({ ...this.#options, blocksExternal: false, gone });
    const { missing, awaited, examples, notServed } = await check.check(
      { id: commit, metaRangeId: found.metaRangeId, parentMetaRangeId: "" },
      new Set(),
    );
    return missing > awaited ? (examples[0] ?? notServed ?? `${missing - awaited} things`) : undefined;
  }
}
