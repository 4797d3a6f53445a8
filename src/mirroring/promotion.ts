/**
 * Moves branches of the mirror (spec/mirroring §5). A call of an earlier time may arrive late: inside the data server, a hard
 * reset reads what it was told to go to again and again until it wins. So a branch is never pointed at a commit, but at a
 * hidden branch, the fence, that is deleted afterwards: a late call finds no fence and does nothing.
 */

import { randomBytes } from "node:crypto";
import { CallFailed, type Destination, isRefusal } from "./ports.ts";
import {
  at,
  type BranchState,
  branchOf,
  type SeenHead,
  settled,
  target,
  UNSEEN,
} from "./progress/branch-heads.ts";
import type { Progress } from "./progress/progress.ts";

/** Beginning of the names of fences. */
const FENCE = "mirror-fence-";
const RANDOM_BYTES = 8;
/** A call of unknown outcome may still be under way for this long, in milliseconds. */
export const MAY_RUN_MS = 180_000;

/** Parts that promotion works with. */
interface PromotionOptions {
  readonly destination: Destination;
  readonly mirror: string;
  readonly progress: Progress;
  /** Commits the progress under the lease; throws where another process has taken it. */
  readonly save: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets: calls run on whatever is done to the other. */
  readonly monotonic: () => number;
}

/** Moves the branches of one mirror, for one holder of its lease. */
export class Promotion {
  readonly #options: PromotionOptions;
  readonly #random = randomBytes(RANDOM_BYTES).toString("hex");
  #number = 0;
  /** True while a call may be under way whose outcome nobody knows. */
  #isUnsettled = true;
  /** Time by the monotonic clock at which everything is looked at again; undefined: nothing can come late any more. */
  #againAt: number | undefined;

  constructor(options: PromotionOptions) {
    this.#options = options;
  }

  /** False while nothing may be done before {@link settle}. */
  get isSettled(): boolean {
    return !this.#isUnsettled;
  }

  /**
   * Ends every call that may be under way still: of a holder before, or of this one where its outcome is not known. Without
   * fences a late call does nothing, and one that has read its fence already loses against a branch that was written since. A
   * deletion is held up by nothing: so all branches are looked at once more when none can come any more.
   */
  async settle(): Promise<void> {
    const { destination, mirror, progress, now, monotonic } = this.#options;
    const isDue = this.#againAt !== undefined && monotonic() >= this.#againAt;
    if (!this.#isUnsettled && !isDue) return;
    for (const { name } of await destination.hiddenBranches(mirror, FENCE)) {
      await destination.deleteBranch(mirror, name);
    }
    const branches = await destination.branches(mirror);
    for (const { name } of branches) await destination.dropStaged(mirror, name);
    // Read after all of that: a late call may have won just before.
    const heads = new Map((await destination.branches(mirror)).map(({ name, commit }) => [name, commit]));
    for (const [name, state] of Object.entries(progress.state.branches)) {
      this.#put(name, settled(state, heads.get(name), now()));
    }
    for (const [name, commit] of heads) {
      if (branchOf(progress.state.branches, name) === undefined)
        this.#put(name, settled(UNSEEN, commit, now()));
    }
    this.#againAt = this.#isUnsettled ? monotonic() + MAY_RUN_MS : undefined;
    this.#isUnsettled = false;
  }

  /** Tells that the branches of the mirror may be other ones than are known: {@link settle} looks at them. */
  unsettle(): void {
    this.#isUnsettled = true;
  }

  /** Moves a branch to the newest complete head that is ahead of it; true where it was moved. */
  async promote(name: string): Promise<boolean> {
    const { progress, destination, mirror, now } = this.#options;
    const before = branchOf(progress.state.branches, name) ?? UNSEEN;
    if (target(before, (commit) => progress.isComplete(commit)) === undefined) return false;
    const head = await destination.head(mirror, name);
    const state = settled(before, head, now());
    this.#put(name, state);
    const to = target(state, (commit) => progress.isComplete(commit));
    if (to === undefined) {
      // A head that is not ours: what was staged beside it goes.
      if (state !== before && head !== undefined) await destination.dropStaged(mirror, name);
      return false;
    }
    if (head === to.commit) {
      this.#put(name, at(state, to));
      return true;
    }
    try {
      await this.#move(name, state, to, head !== undefined);
    } catch (error) {
      if (!isRefusal(error)) this.#isUnsettled = true;
      throw error;
    }
    return true;
  }

  async #move(name: string, state: BranchState, to: SeenHead, isThere: boolean): Promise<void> {
    const { destination, mirror, progress, save } = this.#options;
    if (isThere) await destination.dropStaged(mirror, name);
    this.#number += 1;
    const fence = `${FENCE}${this.#random}-${progress.state.term}-${this.#number}`;
    const created = await destination.createBranch(mirror, { name: fence, source: to.commit, hidden: true });
    if (created !== "created")
      throw new CallFailed(`${name}: the fence at ${to.commit}: ${created}`, 404, false);
    this.#put(name, { ...state, intent: to });
    // Whoever lost the lease ends here, before the branch is touched.
    await save();
    const isMoved = await this.#pointed(name, fence, isThere).catch(async (error: unknown) => {
      if (isRefusal(error)) {
        // Fences of what is refused on every pass would heap up, and the next pass has to try again.
        this.#put(name, state);
        await destination.deleteBranch(mirror, fence);
      }
      throw error;
    });
    if (!isMoved) {
      this.#isUnsettled = true;
      throw new CallFailed(`${name}: somebody else changes the branch or its fence`, 409, false);
    }
    this.#put(name, at(state, to));
    await destination.deleteBranch(mirror, fence);
  }

  async #pointed(name: string, fence: string, isThere: boolean): Promise<boolean> {
    const { destination, mirror } = this.#options;
    if (isThere) return destination.pointBranch(mirror, name, fence);
    return (await destination.createBranch(mirror, { name, source: fence, hidden: false })) === "created";
  }

  /**
   * Deletes a branch that the source has no more, or that is no longer wanted.
   * @throws CallFailed with status 403 for the default branch
   */
  async remove(name: string): Promise<void> {
    const { destination, mirror, progress, save } = this.#options;
    try {
      await destination.deleteBranch(mirror, name);
    } catch (error) {
      if (!(error instanceof CallFailed) || error.isOutcomeUnknown) this.#isUnsettled = true;
      throw error;
    }
    const { [name]: _, ...branches } = progress.state.branches;
    progress.state = { ...progress.state, branches };
    await save();
  }

  #put(name: string, state: BranchState): void {
    const { progress } = this.#options;
    progress.state = { ...progress.state, branches: { ...progress.state.branches, [name]: state } };
  }
}
