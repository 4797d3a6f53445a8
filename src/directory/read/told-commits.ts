/** News of commits. By them, records that were read from a state are known to be in force in a later one. */

import type { DirectoryChange } from "../directory.ts";

/** A state of the store. */
export interface State {
  readonly revision: number;
  /** See {@link Snapshot.base}: the same revision of another one may be another state. */
  readonly base: string | undefined;
}

/** A state that is read: see {@link ToldCommits.opened}. */
export interface ReadState extends State {
  readonly epoch: number;
}

/** Changes remembered to judge what was read before them; what is older is not kept. */
const REMEMBERED_CHANGES = 1_024;

/** Hears of commits, in order. */
export class ToldCommits {
  readonly #changes: { readonly revision: number; readonly change: DirectoryChange }[] = [];
  /** Revision of the newest commit that was told or, at first, of the first state that was read; undefined before. */
  #told: number | undefined;
  /** Records read before this revision are not kept, because some changes after it may never be announced. */
  #floor = 0;
  /** The number of times that everything was forgotten: news from then on say nothing about states that were open before. */
  #epoch = 0;

  /**
   * A commit. To be told of every one in order, before anybody hears of its success.
   * @returns false if nothing that was known before is known any more
   */
  tell(revision: number, change: DirectoryChange | undefined): boolean {
    // The database of several nodes was restored from a backup: its revisions are others now.
    const isBack = revision < (this.#told ?? 0);
    if (isBack) this.clear();
    this.#begin(revision);
    this.#told = Math.max(this.#told ?? 0, revision);
    if (change === undefined) return !isBack;
    this.#changes.push({ revision, change });
    if (this.#changes.length > REMEMBERED_CHANGES) this.#changes.shift();
    if (change.all) this.#epoch++;
    return !isBack && !change.all;
  }

  /** Forgets everything: the store may have gone back to an earlier revision. */
  clear(): void {
    this.#epoch++;
    this.#changes.length = 0;
    this.#told = undefined;
  }

  /** A state that a reader has just opened. */
  opened(state: State): ReadState {
    this.#begin(state.revision);
    return { revision: state.revision, base: state.base, epoch: this.#epoch };
  }

  /** True if every commit up to a state was told of, so that what was kept and not touched is in force in it. */
  reaches({ revision, epoch }: ReadState): boolean {
    return epoch === this.#epoch && revision <= (this.#told as number);
  }

  /**
   * The changes after a state, that of which what was read is to be kept; undefined where it must not be, because some of
   * them may not be known.
   */
  since({ revision, epoch }: ReadState): readonly DirectoryChange[] | undefined {
    const told = this.#told ?? Number.NEGATIVE_INFINITY;
    if (epoch !== this.#epoch || revision > told || revision < this.#floor) return undefined;
    if (revision === told) return [];
    const [oldest] = this.#changes;
    if (this.#changes.length === REMEMBERED_CHANGES && oldest !== undefined && oldest.revision > revision + 1)
      return undefined;
    const since: DirectoryChange[] = [];
    for (const { revision: changed, change } of this.#changes) {
      if (changed <= revision) continue;
      if (change.all) return undefined;
      since.push(change);
    }
    return since;
  }

  #begin(revision: number): void {
    if (this.#told !== undefined) return;
    this.#told = revision;
    this.#floor = revision;
  }
}
