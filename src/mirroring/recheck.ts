/** Looks again at the data of heads that a mirror shows (spec/mirroring §4): a store may lose what was there. */

import { commitId } from "./commit-identity.ts";
import { DataCheck } from "./data/data-check.ts";
import { GoneAtSource } from "./data/missing-data.ts";
import type { Destination, Source } from "./ports.ts";
import { branchOf } from "./progress/branch-heads.ts";
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
  /** Saves that somebody acts for the mirror: a recheck may take hours. */
  readonly keep: (progress: Progress) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Sentences that are kept; the number of the others is. */
const MOST_LOST = 20;

/** Rechecks the heads of one mirror. The time of the newest one, and what it found, is kept with the progress. */
export class Recheck {
  readonly #options: RecheckOptions;

  constructor(options: RecheckOptions) {
    this.#options = options;
  }

  /**
   * Looks at every object of every head where that is due; one look for each.
   * @param unsettle called where the mirror has other heads than it was given
   * @returns sentences about what has gone and is still at the source, and about what others changed, of the newest recheck
   */
  async pass(progress: Progress, unsettle: () => void): Promise<readonly string[]> {
    const { recheckMs, recheckMissingMs, now } = this.#options;
    if (recheckMs === 0) return [];
    const known = progress.state.recheck ?? { at: now(), lost: [] };
    if (progress.state.recheck === undefined) progress.state = { ...progress.state, recheck: known };
    // The return of what is missing is to be seen sooner. A clock that went back says nothing about the last one.
    const waitMs = known.lost.length > 0 ? Math.min(recheckMs, recheckMissingMs) : recheckMs;
    if (Math.abs(now() - known.at) < waitMs) return known.lost;
    const lost = [...(await this.#changed(progress))];
    if (lost.length > 0) unsettle();
    const heads = new Map(
      Object.entries(progress.state.branches).flatMap(([name, { position }]) =>
        position === undefined || position.isForeign === true ? [] : [[position.commit, name] as const],
      ),
    );
    for (const [commit, branch] of heads) {
      const sentence = await this.#lostOf(commit, branch, () => this.#options.keep(progress));
      if (sentence !== undefined) lost.push(sentence);
    }
    if (lost.length > MOST_LOST) lost.splice(MOST_LOST, lost.length, `and ${lost.length - MOST_LOST} more`);
    progress.state = { ...progress.state, recheck: { at: now(), lost } };
    return lost;
  }

  /** Branches that show something else than this service gave them: the data server lets people write with force. */
  async #changed(progress: Progress): Promise<readonly string[]> {
    const { destination, mirror } = this.#options;
    const heads = new Map((await destination.branches(mirror)).map(({ name, commit }) => [name, commit]));
    const { branches } = progress.state;
    const names = new Set([...Object.keys(branches), ...heads.keys()]);
    return [...names]
      .filter((name) => branchOf(branches, name)?.position?.commit !== heads.get(name))
      .map(
        (name) =>
          `the branch ${name} of the mirror was changed by somebody else; it follows the source again`,
      );
  }

  async #lostOf(commit: string, branch: string, keep: () => Promise<void>): Promise<string | undefined> {
    const { source, sourceRepository, alive } = this.#options;
    await alive();
    const log = await source.log(sourceRepository, commit, 1);
    const found = log?.find(({ id }) => id === commit);
    if (found === undefined || commitId(found) !== commit)
      return `data of the branch ${branch} cannot be looked at again: the source has no commit ${commit} any more`;
    // What the source lost, too, is no loss of the mirror.
    const gone = new GoneAtSource([], { apartMs: 0, now: () => 0 });
    const check = new DataCheck({ ...this.#options, blocksExternal: false, gone, noted: keep });
    const { missing, awaited, examples, notServed } = await check.check(
      { id: commit, metaRangeId: found.metaRangeId, parentMetaRangeId: "" },
      new Set(),
    );
    if (missing <= awaited) return undefined;
    const example = examples[0] ?? notServed ?? `${missing - awaited} things`;
    return `data of the branch ${branch} is not there any more: ${example}`;
  }
}
