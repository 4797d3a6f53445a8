/** Finds the commits of a mirror whose data, and that of all their ancestors, is there (spec/mirroring §4). */

import { Turns } from "../schedule/turns.ts";
import { commitId } from "./commit-identity.ts";
import { DataCheck, type Found } from "./data/data-check.ts";
import { GoneAtSource } from "./data/missing-data.ts";
import { noteMissing, type PassNotes } from "./pass-notes.ts";
import type { Destination, Source } from "./ports.ts";
import type { PendingCommit, Progress } from "./progress/progress.ts";

/** Checked commits after which the progress is saved, and milliseconds after which it is where one commit takes longer. */
const SAVE_EVERY = 500;
const SAVE_EVERY_MS = 10_000;
/** Commits behind one that waits for its second look at what the source lost that are looked at meanwhile. */
const MOST_AHEAD = 1_000;

/** Parts that it works with. */
interface CompletionOptions {
  readonly source: Source;
  readonly sourceRepository: string;
  readonly destination: Destination;
  readonly mirror: string;
  readonly blocksExternal: boolean;
  /** Milliseconds between two looks at what the source lost. */
  readonly recheckMissingMs: number;
  /** Throws where the work has to end. */
  readonly alive: () => Promise<void>;
  /** Saves the progress in the middle of a pass. */
  readonly save: (progress: Progress) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Checks the commits of one mirror. */
export class Completion {
  readonly #options: CompletionOptions;
  /** Findings about commits whose parents are not complete yet: they are not looked at on each pass. */
  readonly #ahead = new Map<string, Found>();

  constructor(options: CompletionOptions) {
    this.#options = options;
  }

  /**
   * Looks for the data of recorded commits, parents first. Where a commit lacks only what the source lost, too, those behind it
   * are looked at as well: else each of them would wait for two looks of its own.
   */
  async pass(progress: Progress, notes: PassNotes): Promise<void> {
    if (progress.pending.size === 0) return;
    const { recheckMissingMs, alive, now, save } = this.#options;
    const gone = new GoneAtSource(progress.state.gone, { apartMs: recheckMissingMs, now });
    const verified: Record<string, readonly string[]> = { ...progress.state.verified };
    let savedAt = now();
    let current: { readonly id: string; readonly ranges: ReadonlySet<string> } | undefined;
    // Who ends in the middle of a large commit goes on there.
    const keepRanges = (): void => {
      if (current === undefined || current.ranges.size === 0) return;
      const whole = { ...verified, [current.id]: [...current.ranges] };
      progress.state = { ...progress.state, verified: whole };
    };
    const noted = async (): Promise<void> => {
      if (Math.abs(now() - savedAt) < SAVE_EVERY_MS) return;
      keepRanges();
      await save(progress);
      savedAt = now();
    };
    const check = new DataCheck({ ...this.#options, gone, noted });
    const metaRanges = new Map<string, string>();
    const wanted = await wantedOf(progress);
    const turns = new Turns();
    const waiting = new Set<string>();
    for (const commit of wanted) {
      if (turns.spent) await turns.yield();
      const isNext = commit.parents.every((parent) => progress.isComplete(parent));
      const isAhead = !isNext && commit.parents.every((one) => progress.isComplete(one) || waiting.has(one));
      if (!isNext && (!isAhead || waiting.size >= MOST_AHEAD)) continue;
      await alive();
      const ranges = new Set(verified[commit.id]);
      current = { id: commit.id, ranges };
      const found =
        this.#known(commit.id, isNext) ??
        (await this.#check(commit, check, ranges, metaRanges).catch((error: unknown) => {
          keepRanges();
          throw error;
        }));
      notes.looks += found.looks;
      metaRanges.set(commit.id, commit.metaRangeId);
      if (found.isComplete && isNext) this.#complete(progress, commit, found);
      else {
        if (found.isComplete || (found.missing > 0 && found.missing === found.awaited))
          waiting.add(commit.id);
        if (isAhead) this.#ahead.set(commit.id, found);
      }
      if (!found.isComplete) noteMissing(commit, found, notes);
      if (progress.isComplete(commit.id) || ranges.size === 0) delete verified[commit.id];
      else verified[commit.id] = [...ranges];
      if (progress.unsaved >= SAVE_EVERY) {
        await save(progress);
        savedAt = now();
      }
    }
    this.#forget(progress, gone, verified, wanted);
    noteWaiting(progress, wanted, notes);
  }

  /** The findings about a commit whose parents are not complete, until it has to be looked at again. */
  #known(commit: string, isNext: boolean): Found | undefined {
    const found = this.#ahead.get(commit);
    if (found === undefined || isNext) return undefined;
    const isDue = found.missing !== found.awaited || found.dueAt <= this.#options.now();
    return isDue ? undefined : { ...found, looks: 0 };
  }

  async #check(
    commit: PendingCommit,
    check: DataCheck,
    ranges: Set<string>,
    metaRanges: ReadonlyMap<string, string>,
  ): Promise<Found> {
    const [parent] = commit.parents;
    const parentMetaRangeId = parent === undefined ? "" : await this.#metaRangeOf(parent, metaRanges);
    return check.check({ ...commit, parentMetaRangeId }, ranges);
  }

  #complete(progress: Progress, { id }: PendingCommit, { external, gone }: Found): void {
    progress.noteComplete(id);
    if (external + gone === 0) return;
    const { state } = progress;
    progress.state = {
      ...state,
      external: state.external + external,
      goneAtSource: state.goneAtSource + gone,
    };
  }

  /** Forgets what was found about commits that are complete, or that no head waits for. */
  #forget(
    progress: Progress,
    gone: GoneAtSource,
    verified: Record<string, readonly string[]>,
    wanted: readonly PendingCommit[],
  ): void {
    const left = new Set(wanted.map(({ id }) => id).filter((id) => !progress.isComplete(id)));
    for (const id of this.#ahead.keys()) if (!left.has(id)) this.#ahead.delete(id);
    for (const id of Object.keys(verified)) if (!left.has(id)) delete verified[id];
    gone.keepOnly((thing) => left.has(thing.slice(0, thing.indexOf("/"))));
    const looks = gone.looks;
    const { state } = progress;
    const isSame = JSON.stringify([looks, verified]) === JSON.stringify([state.gone, state.verified]);
    if (!isSame) progress.state = { ...state, gone: looks, verified };
  }

  async #metaRangeOf(commit: string, known: ReadonlyMap<string, string>): Promise<string> {
    const remembered = known.get(commit);
    if (remembered !== undefined) return remembered;
    const log = await this.#options.source.log(this.#options.sourceRepository, commit, 1);
    const found = log?.find(({ id }) => id === commit);
    // What is compared with has to be what was found complete.
    return found !== undefined && commitId(found) === commit ? found.metaRangeId : "";
  }
}

/** Pending commits that lead to a head which the mirror may go to, parents first. */
async function wantedOf(progress: Progress): Promise<readonly PendingCommit[]> {
  const turns = new Turns();
  const wanted = new Set<string>();
  const open = Object.values(progress.state.branches).flatMap((one) => one.heads.map(({ commit }) => commit));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (turns.spent) await turns.yield();
    const commit = progress.pending.get(id);
    if (commit === undefined || wanted.has(id)) continue;
    wanted.add(id);
    open.push(...commit.parents);
  }
  return [...progress.pending.values()].filter(({ id }) => wanted.has(id));
}

/** Notes the commits that a head waits for; of one that no head leads to any more nobody waits for the data. */
function noteWaiting(progress: Progress, wanted: readonly PendingCommit[], notes: PassNotes): void {
  for (const { id, since } of wanted) {
    if (progress.isComplete(id)) continue;
    notes.pending += 1;
    notes.oldestPendingSince = Math.min(since, notes.oldestPendingSince ?? since);
  }
}
