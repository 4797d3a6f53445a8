/**
 * The heads that a branch of the source was seen to have, in their order, and the place of the mirror among them. A place is
 * an index and no commit id: a branch may come back to an earlier commit.
 */

/** Most heads that are kept for a branch; the oldest are dropped. */
export const MOST_HEADS = 1_000;

/** A head that was seen. */
export interface SeenHead {
  readonly index: number;
  readonly commit: string;
  /** Unix milliseconds of the first sight. */
  readonly at: number;
  /** True for one that somebody else gave the mirror. */
  readonly isForeign?: true;
}

/** State of a branch. */
export interface BranchState {
  /** Index of the next head. */
  readonly next: number;
  /** Those that the mirror may still go to, oldest first. */
  readonly heads: readonly SeenHead[];
  /** The place of the mirror, as far as it is known. Absent: the mirror lacks the branch. */
  readonly position?: SeenHead;
  /** The place to which a promotion was begun. */
  readonly intent?: SeenHead;
  /** Scans that did not find the branch, one after the other. */
  readonly absences?: number;
}

/** A branch that was never seen before. */
export const UNSEEN: BranchState = { next: 0, heads: [] };

/** A branch of a table by names, which somebody else chose: a name that every object answers to is no branch. */
export function branchOf(
  branches: Readonly<Record<string, BranchState>>,
  name: string,
): BranchState | undefined {
  return Object.hasOwn(branches, name) ? branches[name] : undefined;
}

/** The branch with a head that the source has now; the same object where that is no news. */
export function withHead(state: BranchState, commit: string, at: number): BranchState {
  const { absences: _, ...rest } = state;
  const seen = state.absences === undefined ? state : rest;
  const last = lastOf(state);
  if (last?.commit === commit && last.index === state.next - 1) return seen;
  const heads = [...state.heads, { index: state.next, commit, at }].slice(-MOST_HEADS);
  return { ...seen, next: state.next + 1, heads };
}

function lastOf({ heads, position }: BranchState): SeenHead | undefined {
  return heads.at(-1) ?? position;
}

/** The newest head that the mirror may go to; undefined where there is none ahead of it. */
export function target(state: BranchState, isComplete: (commit: string) => boolean): SeenHead | undefined {
  const floor = Math.max(state.position?.index ?? -1, state.intent?.index ?? -1);
  return state.heads.findLast(({ index, commit }) => index > floor && isComplete(commit));
}

/** The branch at a place; heads before it can never be gone to. */
export function at(state: BranchState, position: SeenHead): BranchState {
  const { intent: _, ...rest } = state;
  return { ...rest, position, heads: state.heads.filter(({ index }) => index > position.index) };
}

/**
 * The branch whose head on the mirror was found to be `commit`: the intent, the place, or a head that is not ours. After the
 * last only heads count that are seen from now on, though the source may have had the same one before.
 * @param commit undefined: the mirror lacks the branch
 */
export function settled(state: BranchState, commit: string | undefined, now: number): BranchState {
  const { position, intent, ...unplaced } = state;
  if (commit === undefined) {
    // What was deleted on the mirror may come back where it was.
    const lost = position === undefined || position.isForeign === true ? [] : [position];
    return { ...unplaced, heads: [...lost, ...state.heads] };
  }
  if (intent?.commit === commit) return at(state, intent);
  if (position?.commit === commit) return intent === undefined ? state : { ...unplaced, position };
  const foreign = { index: state.next, commit, at: now, isForeign: true } as const;
  return { ...unplaced, position: foreign, heads: [], next: state.next + 1 };
}
