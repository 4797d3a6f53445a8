/**
 * The store over a log (journal.md): every node reads from a copy of its own and commits to the log that all share.
 */

import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { CopyState } from "../store/copy-state.ts";
import type { Expectation } from "../store/expectation.ts";
import { Leases } from "../store/leases.ts";
import { NAMES_ENTRIES } from "../store/log-entry.ts";
import type { Commit, CommitListener, CommittedChange, Snapshot, Store } from "../store/port.ts";
import { storeClosed } from "../store/refusals.ts";
import type { StoreTrouble } from "../store/trouble.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { type Contact, contactOf, copyStateOf, troubleOf, type WorkerView } from "./contact.ts";
import { CopyKeeper } from "./copy-keeper.ts";
import { createJournalCounters, type JournalCounters } from "./counters.ts";
import { DueCheckpoints } from "./due-checkpoints.ts";
import { assertFresh } from "./freshness.ts";
import { assertMayBegin } from "./guard.ts";
import type { JournalOptions } from "./journal-options.ts";
import { followed, LogHistory } from "./log-history.ts";
import { LogNode } from "./node.ts";
import { PollInterval } from "./poll-interval.ts";
import { Proofs } from "./proof.ts";
import { TroubleLog } from "./trouble-log.ts";
import { NodeEnds, openUntil } from "./until-ended.ts";
import { copyIsMadeAnew, noContact } from "./write-refusals.ts";
import { LogWriter } from "./writer.ts";

/** A store over a log. */
export interface JournalStore extends Store {
  readonly counters: JournalCounters;
  /** Newest revision of the copy. */
  readonly revision: number;
  takeTurn(): Promise<void>;
  lease(name: string): Promise<Expectation | undefined>;
  assertFresh(): void;
  /** Milliseconds since the copy was proved to be the newest. */
  staleness(): number;
  /** Applies what was committed so far; for who waits for a revision. */
  catchUp(): Promise<void>;
  prove(caller?: string): Promise<void>;
  /** Writes a checkpoint now and removes what is no longer kept. */
  checkpoint(): Promise<void>;
  /** The things that the workers of this node begin with. */
  readonly forWorkers: WorkerView;
  /** Calls `listener` after each poll; returns what ends that. */
  onContact(listener: (contact: Contact) => void): () => void;
}

const VERIFY_MS = 60_000;
/** Interval of attempts to reach a lost engine. */
const RECONNECT_MS = 500;

/**
 * Opens the store: loads the newest checkpoint and what follows it. Where the database cannot be used, it begins with the
 * copy of the process before, if that may still be answered from. Throws AuthorizerError "unavailable", or why it ends.
 */
export async function openJournal(options: JournalOptions): Promise<JournalStore> {
  const journal = new Journal(options);
  try {
    await journal.catchUp();
  } catch (error) {
    if (options.ending?.aborted === true || !journal.resumes()) {
      await journal.close();
      if (error instanceof NodeEnds) options.ending?.throwIfAborted();
      if (error instanceof AuthorizerError) throw error;
      const message = `The database cannot be used: ${messageOf(error)}`;
      throw new AuthorizerError("unavailable", message, { cause: error });
    }
  }
  journal.start();
  return journal;
}

class Journal implements JournalStore {
  readonly counters = createJournalCounters();
  readonly history: LogHistory;
  readonly #options: JournalOptions;
  readonly #clock: Clock;
  readonly #wallClock: () => number;
  readonly #node: LogNode;
  readonly #writer: LogWriter;
  readonly #proofs: Proofs;
  readonly #leases: Leases;
  readonly #checkpoints: DueCheckpoints;
  readonly #keeper: CopyKeeper;
  readonly #interval: PollInterval;
  readonly #contactListeners = new Set<(contact: Contact) => void>();
  #hasContact = false;
  readonly #trouble: TroubleLog;
  #verifiedAt: number;
  #wake: () => void = () => {};
  #woken = false;
  #polling: Promise<void> | undefined;
  #stopWatching: (() => void) | undefined;
  #leaving: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: JournalOptions) {
    const { engine, replica, settings, log, carriedIds } = options;
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#wallClock = options.wallClock ?? Date.now;
    this.#verifiedAt = this.#clock.now();
    this.#trouble = new TroubleLog(log, this.#wallClock);
    this.#interval = new PollInterval(engine, settings.pollMs);
    this.history = new LogHistory({
      engine,
      replica: followed(replica),
      forgetPast: () => this.#checkpoints.forgetPast(),
    });
    const shared = { engine, replica, counters: this.counters, clock: this.#clock };
    this.#keeper = new CopyKeeper({ ...shared, wallClock: this.#wallClock, log });
    this.#node = new LogNode({
      ...shared,
      assertOpen: openUntil(() => this.#leaving !== undefined || options.ending?.aborted === true),
      wallClock: this.#wallClock,
      onCondition: () => this.#onCondition(),
      onWentBack: (back) => this.#keeper.wentBack(this.#node, back),
      ...(carriedIds !== undefined && { carriedIds }),
      ...(options.knownFormat !== undefined && { knownFormat: options.knownFormat }),
      onRewound: (revision) =>
        log?.error(
          { revision },
          "the database lost commits that were acknowledged (was it restored from a backup?); this node makes a new copy of what it holds, and answers from the former one meanwhile",
        ),
    });
    this.#proofs = new Proofs({
      ...shared,
      node: this.#node,
      commitTimeoutMs: settings.commitTimeoutMs,
      spacingMs: () => this.#interval.lookMs,
      onTrouble: (error) => this.#onTrouble(error),
      assertContact: () => this.#assertContact(),
    });
    this.#writer = new LogWriter({
      ...shared,
      node: this.#node,
      proofs: this.#proofs,
      commitTimeoutMs: settings.commitTimeoutMs,
      wallClock: this.#wallClock,
      onTrouble: (error) => this.#onTrouble(error),
      assertContact: () => this.#assertContact(),
      assertMayBegin: () => this.#assertMayBegin(),
      onCommitted: () => {
        this.#trouble.state.wrote();
        this.#checkpoints.committed();
      },
    });
    this.#leases = new Leases(this, () => this.#clock.now());
    this.#checkpoints = new DueCheckpoints({
      ...shared,
      node: this.#node,
      leases: this.#leases,
      settings,
      wallClock: this.#wallClock,
      log,
      onTrouble: (error) => this.#onTrouble(error),
    });
  }

  async lease(name: string): Promise<Expectation | undefined> {
    this.#assertOpen();
    return this.#leases.hold(name);
  }

  get logId(): string {
    return this.history.head.log.slice(0, 8);
  }

  get revision(): number {
    return this.#node.revision;
  }

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    this.assertFresh();
    return this.#options.replica.snapshot();
  }

  async commit(commit: Commit): Promise<number> {
    this.#assertOpen();
    return this.#writer.commit(commit);
  }

  async prove(caller?: string): Promise<void> {
    this.#assertOpen();
    await this.#proofs.prove(caller);
  }

  async takeTurn(): Promise<void> {
    this.#assertOpen();
    await this.#writer.takeTurn();
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.#assertOpen();
    this.assertFresh();
    return this.history.changes(after, limit);
  }

  tellsEveryChange(): boolean {
    return this.#hasContact;
  }

  namesEntries(): boolean {
    return this.#node.format >= NAMES_ENTRIES;
  }

  subscribe(listener: CommitListener): () => void {
    return this.#options.replica.subscribe(listener);
  }

  async upgradeLog(): Promise<{ readonly from: number; readonly to: number }> {
    this.#assertOpen();
    const { format: from, knownFormat: to } = this.#node;
    if (from < to) await this.#writer.raiseFormat();
    return { from, to };
  }

  async health(): Promise<void> {
    this.#assertOpen();
    const { unknownFormat, knownFormat } = this.#node;
    if (unknownFormat !== undefined) {
      const message = `The log has format ${unknownFormat}; this program knows up to ${knownFormat}: use a newer program.`;
      throw new AuthorizerError("unavailable", message);
    }
    this.assertFresh();
    await this.#options.replica.health();
  }

  staleness(): number {
    return this.#node.age;
  }

  async catchUp(): Promise<void> {
    const isVerified = await this.#node.exclusive(async () => {
      try {
        // Asked only now: what was before it in the queue may have failed.
        const now = this.#clock.now();
        const doubted = await this.#node.verifyIfDoubted();
        const verified = doubted || now - this.#verifiedAt >= VERIFY_MS;
        // A look that finds nothing is no doubt: it would end the checkpoint that is being written.
        if (verified && !doubted) await this.#node.verify();
        if (verified) this.#verifiedAt = now;
        await this.#node.follow();
        this.#reached();
        await this.#keeper.reached(this.#node);
        return verified;
      } catch (error) {
        // Before the writer's turn, so that it sends nothing to an engine that has just not answered.
        this.#onTrouble(error);
        await this.#keeper.missed(this.#node, error);
        throw error;
      }
    });
    if (isVerified) await this.#interval.count(this.#options.replica, this.#options.nodeRecords);
  }

  #reached(): void {
    if (!this.#hasContact) this.#options.log?.info({ revision: this.revision }, "database reached");
    this.#hasContact = true;
    this.#trouble.state.read();
    this.#tellContact();
  }

  /** Goes on from the copy of the process before, without contact; false where it must not be answered from. */
  resumes(): boolean {
    return this.#keeper.resumes(this.#node, this.#options.settings.maxStalenessMs);
  }

  copyState = (): CopyState => copyStateOf(this.#contact(), this.#options.settings.maxStalenessMs);

  checkpoint(): Promise<void> {
    return this.#checkpoints.write();
  }

  close = (): Promise<void> => (this.#leaving ??= this.#leave());

  /** Follows the log from now on. */
  start(): void {
    this.#stopWatching = this.#options.engine.watch((revision) => {
      if (revision === undefined) this.#node.doubt();
      // A node hears of its own entries, too: it has them, or is about to know.
      else if (revision <= Math.max(this.revision, this.#writer.trying)) return;
      this.#woken = true;
      this.#wake();
    });
    this.#polling = this.#poll();
  }

  async #poll(): Promise<void> {
    while (this.#leaving === undefined) {
      await this.#pause(this.#hasContact ? this.#interval.ms : RECONNECT_MS);
      if (this.#leaving !== undefined) return;
      this.#woken = false;
      // What fails is told by onTrouble, and tried again.
      await this.catchUp().catch(() => undefined);
    }
  }

  /** Waits for the next poll, or until the engine says that there is something. */
  async #pause(ms: number): Promise<void> {
    if (this.#woken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms * (0.9 + Math.random() * 0.2));
    await promise;
    clearTimeout(timer);
  }

  async #leave(): Promise<void> {
    this.#checkpoints.end();
    // While commits are still taken. A lease that cannot be left is taken over later.
    if (this.#hasContact && this.#leases.hasAny) await this.#leases.release().catch(() => undefined);
    this.#closing = this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const { engine, replica } = this.#options;
    this.#stopWatching?.();
    this.#wake();
    await this.#proofs.close();
    await this.#writer.close();
    await this.#polling;
    await this.#checkpoints.ended();
    await this.#keeper.ended();
    this.#keeper.note(this.#node, true);
    this.history.close();
    await engine.close();
    await replica.close();
  }

  #onTrouble(error: unknown): void {
    if (error instanceof NodeEnds) return;
    this.counters.engineErrors += 1;
    this.#node.doubt();
    this.#trouble.tell(error, this.#hasContact, this.copyState().stopsAt);
    this.#hasContact = false;
    this.#tellContact();
    this.#wake();
  }

  /** A rebuild may take long: who waits is not kept waiting for it. */
  #onCondition(): void {
    if (this.#node.condition.kind === "rebuilding") this.#writer.refuseWaiting(copyIsMadeAnew());
    this.#tellContact();
  }

  async #assertMayBegin(): Promise<void> {
    const { engine, creation } = this.#options;
    if (creation !== undefined) await assertMayBegin(engine, creation, (ms) => this.#clock.delay(ms));
  }

  #assertContact(): void {
    if (this.#node.condition.kind === "rebuilding") throw copyIsMadeAnew();
    if (this.#hasContact) return;
    throw noContact(this.#trouble.state.trouble?.kind);
  }

  assertFresh(): void {
    const { maxStalenessMs } = this.#options.settings;
    assertFresh(this.staleness(), this.#hasContact, this.#interval.ms, maxStalenessMs, () => this.trouble());
  }

  trouble = (): StoreTrouble | undefined => troubleOf(this.#contact(), this.#options.settings.maxStalenessMs);

  get forWorkers(): WorkerView {
    const { engine, replica } = this.#options;
    return { folder: replica.folder, budgets: engine.budgets, contact: this.#contact() };
  }

  onContact(listener: (contact: Contact) => void): () => void {
    this.#contactListeners.add(listener);
    return () => {
      this.#contactListeners.delete(listener);
    };
  }

  clearReaders(): void {
    this.#assertOpen();
    this.#options.replica.clearReaders?.();
  }

  #contact(): Contact {
    const { condition, age } = this.#node;
    const contact = contactOf(this.#hasContact, this.#interval.ms, age, this.#wallClock(), condition);
    return { ...contact, namesEntries: this.namesEntries(), trouble: this.#trouble.state.trouble };
  }

  #tellContact(): void {
    for (const listener of this.#contactListeners) listener(this.#contact());
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }
}
