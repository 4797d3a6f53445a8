/**
 * A node's store as a worker of the node has it (spec/journal §7): it reads the copy that the primary process writes, and
 * commits through the primary. The past it reads from the engine itself.
 */

import type { CopyState } from "../store/copy-state.ts";
import type { Commit, CommitListener, CommittedChange, Snapshot, Store } from "../store/port.ts";
import type { StoreTrouble } from "../store/trouble.ts";
import { ageOf, type Contact, copyStateOf, troubleOf } from "./contact.ts";
import type { Engine } from "./engine.ts";
import { assertFresh } from "./freshness.ts";
import { type FollowedCopy, LogHistory } from "./log-history.ts";

/** A node's copy that a worker reads. */
interface WorkerCopy extends FollowedCopy {
  readonly logId: string;
  follow(): void;
  health(): void;
  close(): Promise<void>;
}

/** Calls that the primary answers. */
export interface PrimaryCalls {
  readonly commit: (commit: Commit) => Promise<number>;
  readonly takeTurn: () => Promise<void>;
  /** Follows the log to its newest entry. */
  readonly catchUp: () => Promise<void>;
  /** As {@link Store.prove}. */
  readonly prove: (caller?: string) => Promise<void>;
}

/** The parts of a {@link WorkerJournal}. */
interface WorkerJournalParts {
  readonly copy: WorkerCopy;
  readonly engine: Engine;
  readonly primary: PrimaryCalls;
  /** Milliseconds; see {@link assertFresh}. */
  readonly maxStalenessMs: number;
  readonly contact: Contact;
}

/** The store of a worker. */
export class WorkerJournal implements Store {
  readonly history: LogHistory;
  readonly #parts: WorkerJournalParts;
  #contact: Contact;

  constructor(parts: WorkerJournalParts) {
    const { copy, engine, contact } = parts;
    this.#parts = parts;
    this.#contact = contact;
    const forgetPast = (): Promise<never> => Promise.reject(new Error("a worker removes nothing"));
    this.history = new LogHistory({ engine, replica: copy, forgetPast });
  }

  get logId(): string {
    return this.#parts.copy.logId;
  }

  /** Takes what the primary says of its contact. */
  told(contact: Contact): void {
    this.#contact = contact;
  }

  async snapshot(): Promise<Snapshot> {
    this.assertFresh();
    return this.#parts.copy.snapshot();
  }

  async commit(commit: Commit): Promise<number> {
    const revision = await this.#parts.primary.commit(commit);
    this.follow();
    return revision;
  }

  async takeTurn(): Promise<void> {
    await this.#parts.primary.takeTurn();
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.assertFresh();
    return this.history.changes(after, limit);
  }

  tellsEveryChange(): boolean {
    return this.#contact.hasContact;
  }

  namesEntries(): boolean {
    return this.#contact.namesEntries === true;
  }

  subscribe(listener: CommitListener): () => void {
    return this.#parts.copy.subscribe(listener);
  }

  follow(): void {
    this.#parts.copy.follow();
  }

  async catchUp(): Promise<void> {
    await this.#parts.primary.catchUp();
    this.follow();
  }

  async prove(caller?: string): Promise<void> {
    await this.#parts.primary.prove(caller);
    this.follow();
  }

  copyState(): CopyState {
    return copyStateOf(this.#contact, this.#parts.maxStalenessMs);
  }

  trouble(): StoreTrouble | undefined {
    return troubleOf(this.#contact, this.#parts.maxStalenessMs);
  }

  assertFresh(): void {
    const { hasContact, pollMs } = this.#contact;
    assertFresh(ageOf(this.#contact), hasContact, pollMs, this.#parts.maxStalenessMs, () => this.trouble());
  }

  async health(): Promise<void> {
    this.assertFresh();
    this.#parts.copy.health();
  }

  async close(): Promise<void> {
    this.history.close();
    await this.#parts.engine.close();
    await this.#parts.copy.close();
  }
}
