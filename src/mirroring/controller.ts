/** One pass over one mirror (spec/mirroring §4): what the source has, what is recorded, what is whole, what becomes visible. */

import type { Expectation } from "../store/expectation.ts";
import type { Store } from "../store/port.ts";
import { BranchSelection } from "./branch-selection.ts";
import { Completion } from "./completion.ts";
import { knownRepositories, MirrorFailed } from "./identity-check.ts";
import { holdLease, LeaseLost } from "./lease.ts";
import { missingCommits } from "./log-copy.ts";
import type { Mirror, MirrorPhase, MirrorReport } from "./mirror.ts";
import { reportOf } from "./mirror-report.ts";
import { newNotes, type PassNotes, reasonOf } from "./pass-notes.ts";
import { CallFailed, type Destination, isRefusal, type RepositoryFacts, type Source } from "./ports.ts";
import { type BranchState, branchOf, UNSEEN, withHead } from "./progress/branch-heads.ts";
import { type MirrorFindings, Progress } from "./progress/progress.ts";
import { Promotion } from "./promotion.ts";
import { PromotionFailures, type TellFailure } from "./promotion-failures.ts";
import { Recheck } from "./recheck.ts";

/** Scans one after the other that do not find a branch before it is deleted. */
const ABSENCES = 2;
/** Recorded or checked commits after which the progress is saved. */
const SAVE_EVERY = 500;
/** Time in milliseconds for which a data server may answer for a repository that was deleted and made again. */
const SERVER_CACHE_MS = 30_000;
/** Lease is shown to be held this often during long work, in milliseconds. */
const ALIVE_EVERY_MS = 5_000;

/** Longest time without a write of the process that acts, in milliseconds: else nobody would see that nobody does. */
const ACTED_EVERY_MS = 300_000;

/** Parts that a controller works with. */
interface ControllerOptions {
  readonly store: Store;
  readonly source: Source;
  readonly destination: Destination;
  /** `authorizer.mirroring.external_objects` is `block`. */
  readonly blocksExternal: boolean;
  /** `authorizer.mirroring.recheck_missing`, in milliseconds. */
  readonly recheckMissingMs: number;
  /** `authorizer.mirroring.recheck`, in milliseconds; 0 for none. */
  readonly recheckMs: number;
  /** Conditions of every write of the progress beside the lease: the mirror's own record. */
  readonly expects?: readonly Expectation[];
  /** Hears of branches that cannot be changed. */
  readonly tellFailure?: TellFailure;
  /** Ends the work between two calls. */
  readonly signal?: AbortSignal;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets; default that of the process. */
  readonly monotonic?: () => number;
}

/** Parts that the acting process holds of a mirror. */
interface Acting {
  readonly progress: Progress;
  readonly promotion: Promotion;
}

/** Acts for one mirror. */
export class MirrorController {
  readonly #mirror: Mirror;
  readonly #options: ControllerOptions;
  readonly #selection: BranchSelection;
  readonly #completion: Completion;
  readonly #recheck: Recheck;
  readonly #failures: PromotionFailures;
  #acting: Acting | undefined;
  #newest: MirrorReport | undefined;
  #lease: readonly Expectation[] = [];
  #aliveAt = Number.NEGATIVE_INFINITY;

  constructor(mirror: Mirror, options: ControllerOptions) {
    this.#mirror = mirror;
    this.#options = options;
    this.#selection = new BranchSelection(mirror.branches);
    const parts = {
      ...options,
      sourceRepository: mirror.sourceRepository,
      mirror: mirror.name,
      alive: () => this.#alive(),
    };
    this.#completion = new Completion({ ...parts, save: (progress) => this.#saveMidway(progress) });
    this.#recheck = new Recheck({ ...parts, keep: (progress) => this.#keep(progress) });
    this.#failures = new PromotionFailures(mirror, options.tellFailure ?? (() => {}));
  }

  /** The report of the newest pass, be it one that failed; undefined where this process does not act for the mirror. */
  get newest(): MirrorReport | undefined {
    return this.#acting && this.#newest;
  }

  /**
   * Makes one pass. Returns undefined where another process acts for the mirror.
   * @throws CallFailed where a server does not answer, or the error of the store: the next pass begins where this one ended
   */
  async pass(): Promise<MirrorReport | undefined> {
    try {
      const acting = await this.#act();
      return acting === undefined ? undefined : await this.#passAs(acting);
    } catch (error) {
      if (error instanceof MirrorFailed)
        return this.#told(() => ({ phase: "failed", reason: error.message, trouble: undefined }));
      if (error instanceof CallFailed)
        await this.#told((before) => ({ trouble: this.#trouble(error, before) }));
      // Whatever is held in memory may differ from what is stored.
      else this.#acting = undefined;
      if (error instanceof LeaseLost) return undefined;
      throw error;
    }
  }

  /** Saves what a pass that ended early found; undefined where another process acts for the mirror now. */
  async #told(
    findings: (before: MirrorFindings) => Partial<MirrorFindings>,
  ): Promise<MirrorReport | undefined> {
    const progress = this.#acting?.progress;
    if (progress === undefined) return undefined;
    const before = progress.state.findings ?? this.#findings(progress, "creating", "");
    note(progress, { ...before, ...findings(before) });
    try {
      await this.#keep(progress);
    } catch (error) {
      this.#acting = undefined;
      if (error instanceof LeaseLost) return undefined;
      throw error;
    }
    this.#newest = reportOf(progress.state, this.#options.now());
    return this.#newest;
  }

  /** Saves what is news, and that somebody acts for the mirror. */
  async #keep(progress: Progress): Promise<void> {
    const now = this.#options.now();
    // A clock that went back says nothing.
    const isSilent = Math.abs(now - (progress.state.actedAt ?? 0)) >= ACTED_EVERY_MS;
    if (!isSilent && !progress.hasNews) return;
    progress.state = { ...progress.state, actedAt: now };
    await progress.save(this.#lease);
  }

  #trouble({ message }: CallFailed, { trouble }: MirrorFindings): NonNullable<MirrorFindings["trouble"]> {
    return { message, since: trouble?.since ?? this.#options.now() };
  }

  /** Takes the lease where nobody has it, with a term of its own. */
  async #act(): Promise<Acting | undefined> {
    await this.#hold();
    if (this.#acting !== undefined) return this.#acting;
    const { store, destination, now, monotonic = () => performance.now() } = this.#options;
    const progress = await Progress.load(store, this.#mirror.uid);
    progress.state = { ...progress.state, term: progress.state.term + 1 };
    const save = async (): Promise<void> => {
      await this.#hold();
      await progress.save(this.#lease);
    };
    await save();
    const clocks = { now, monotonic };
    const promotion = new Promotion({ destination, mirror: this.#mirror.name, progress, save, ...clocks });
    this.#acting = { progress, promotion };
    return this.#acting;
  }

  async #hold(): Promise<void> {
    const lease = await holdLease(this.#options.store, this.#mirror.uid);
    if (lease === undefined) throw new LeaseLost("another process has the lease");
    this.#lease = [...lease, ...(this.#options.expects ?? [])];
  }

  /** Throws LeaseLost where somebody else acts meanwhile; during long work the lease has to be shown to be alive. */
  async #alive(): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const now = performance.now();
    if (now - this.#aliveAt < ALIVE_EVERY_MS) return;
    this.#aliveAt = now;
    await this.#hold();
  }

  async #passAs({ progress, promotion }: Acting): Promise<MirrorReport> {
    const { source: server, now } = this.#options;
    const before = progress.state;
    const servers = { source: server, destination: this.#options.destination };
    const known = await knownRepositories(this.#mirror, servers, before.identity, now());
    const { source } = known;
    // After a clock was set back, what it said says nothing: the wait begins anew.
    const identity = known.identity.since > now() ? { ...known.identity, since: now() } : known.identity;
    if (before.identity !== identity) progress.state = { ...before, identity };
    // The destination may answer for an earlier repository of the name until then.
    if (now() - identity.since < SERVER_CACHE_MS) {
      return this.#done(progress, this.#findings(progress, "creating", "", source));
    }
    await promotion.settle();
    const notes = newNotes();
    const absent = await this.#scan(progress, source);
    await this.#copyLog(progress, notes);
    await this.#completion.pass(progress, notes);
    for (const name of this.#shown(progress)) {
      await this.#alive();
      await this.#unlessRefused(promotion, name, notes, async () => {
        if (await promotion.promote(name)) notes.promotions += 1;
      });
    }
    await this.#remove(promotion, progress, absent, notes);
    notes.reasons.push(...(await this.#recheck.pass(progress, () => promotion.unsettle())));
    const heads = Object.values(progress.state.branches);
    const isBehind = heads.some((one) => one.heads.some(({ index }) => index > (one.position?.index ?? -1)));
    const phase: MirrorPhase = notes.reasons.length > 0 ? "degraded" : isBehind ? "syncing" : "active";
    return this.#done(progress, this.#findings(progress, phase, reasonOf(notes), source, notes), notes);
  }

  /** Saves in the middle of a pass, which may take hours: people look at the mirror meanwhile. */
  async #saveMidway(progress: Progress): Promise<void> {
    const before = progress.state.findings ?? this.#findings(progress, "creating", "");
    const isDegraded = before.phase === "degraded";
    note(progress, {
      ...before,
      phase: isDegraded ? "degraded" : "syncing",
      reason: isDegraded ? before.reason : "",
      recorded: progress.recorded,
      pending: progress.pending.size,
      trouble: undefined,
    });
    progress.state = { ...progress.state, actedAt: this.#options.now() };
    await progress.save(this.#lease);
  }

  /** Saves what there is of news, and reports. */
  async #done(progress: Progress, findings: MirrorFindings, notes?: PassNotes): Promise<MirrorReport> {
    note(progress, findings);
    await this.#keep(progress);
    const work = notes && {
      recorded: notes.recorded,
      looks: notes.looks,
      promotions: notes.promotions,
    };
    this.#newest = reportOf(progress.state, this.#options.now(), work);
    return this.#newest;
  }

  #findings(
    progress: Progress,
    phase: MirrorPhase,
    reason: string,
    source?: RepositoryFacts,
    notes?: PassNotes,
  ): MirrorFindings {
    const since = notes?.oldestPendingSince;
    return {
      phase,
      reason,
      defaultBranch: source?.defaultBranch,
      recorded: progress.recorded,
      pending: notes?.pending ?? 0,
      ...(since !== undefined && { oldestPendingSince: since }),
      missing: notes?.missing ?? 0,
      blocking: notes?.blocking ?? 0,
    };
  }

  /** Notes the heads of the source's branches; returns branches that two scans did not find. */
  async #scan(progress: Progress, source: RepositoryFacts): Promise<readonly string[]> {
    const { source: server, now } = this.#options;
    const { sourceRepository } = this.#mirror;
    const listed = (await server.branches(sourceRepository)).filter(({ name }) => this.#selection.has(name));
    const branches = new Map(Object.entries(progress.state.branches));
    let isNews = false;
    const put = (name: string, state: BranchState): void => {
      if (state === branches.get(name)) return;
      branches.set(name, state);
      isNews = true;
    };
    for (const { name, commit } of listed) put(name, withHead(branches.get(name) ?? UNSEEN, commit, now()));
    const absent: string[] = [];
    const names = new Set(listed.map(({ name }) => name));
    for (const [name, state] of branches) {
      if (names.has(name)) continue;
      // A list may have been read while the branch was made: it has to be absent by itself, too.
      const isGone = !this.#selection.has(name) || (await server.head(sourceRepository, name)) === undefined;
      if (!isGone) continue;
      const absences = Math.min((state.absences ?? 0) + 1, ABSENCES);
      if (absences !== state.absences) put(name, { ...state, absences });
      if (absences >= ABSENCES && name !== source.defaultBranch) absent.push(name);
    }
    if (isNews) progress.state = { ...progress.state, branches: Object.fromEntries(branches) };
    return absent;
  }

  /** Records the commits that lead to heads which the mirror may go to. */
  async #copyLog(progress: Progress, notes: PassNotes): Promise<void> {
    const { source, destination, now } = this.#options;
    const { sourceRepository, name: mirror } = this.#mirror;
    const heads = Object.values(progress.state.branches).flatMap((one) =>
      one.heads.map(({ commit }) => commit),
    );
    const wanted = new Set(heads.filter((commit) => !progress.isRecorded(commit)));
    if (wanted.size === 0) return;
    const { commits, refused } = await missingCommits(
      wanted,
      (id) => progress.isRecorded(id),
      async (commit, amount) => {
        await this.#alive();
        return source.log(sourceRepository, commit, amount);
      },
    );
    for (const commit of commits) {
      await this.#alive();
      await destination.record(mirror, commit);
      const { id, metaRangeId, parents } = commit;
      progress.noteRecorded({ id, metaRangeId, parents, since: now() });
      notes.recorded += 1;
      if (progress.unsaved >= SAVE_EVERY) await this.#saveMidway(progress);
    }
    const [first] = refused;
    if (first !== undefined) {
      notes.reasons.push(
        `${refused.size} commits of the source cannot be mirrored: ${first} is not there, its content has another id, or this holds for an ancestor of it`,
      );
    }
  }

  /** Goes on with the other branches where the server does not let this one be changed, such as by a rule that protects it. */
  async #unlessRefused(
    promotion: Promotion,
    name: string,
    notes: PassNotes,
    change: () => Promise<void>,
  ): Promise<void> {
    try {
      await change();
      this.#failures.clear(name);
    } catch (error) {
      if (error instanceof CallFailed) this.#failures.note(name, error);
      if (!isRefusal(error) || !promotion.isSettled) throw error;
      notes.reasons.push(`the data server does not let the branch ${name} be changed: ${error.message}`);
    }
  }

  #shown(progress: Progress): readonly string[] {
    return Object.entries(progress.state.branches)
      .filter(([, { absences, heads }]) => absences === undefined && heads.length > 0)
      .map(([name]) => name);
  }

  async #remove(
    promotion: Promotion,
    progress: Progress,
    absent: readonly string[],
    notes: PassNotes,
  ): Promise<void> {
    for (const name of absent) {
      await this.#alive();
      await this.#unlessRefused(promotion, name, notes, () => promotion.remove(name));
    }
    const isLost = (name: string): boolean =>
      (branchOf(progress.state.branches, name)?.absences ?? 0) >= ABSENCES;
    for (const name of Object.keys(progress.state.branches)) {
      if (!isLost(name) || absent.includes(name)) continue;
      notes.reasons.push(
        `the default branch ${name} does not exist at the source any more; the mirror keeps it`,
      );
    }
  }
}

/** Puts findings into the state where they are news. */
function note(progress: Progress, findings: MirrorFindings): void {
  const { state } = progress;
  if (JSON.stringify(state.findings) === JSON.stringify(findings)) return;
  progress.state = { ...state, findings };
}
