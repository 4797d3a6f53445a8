/**
 * Reads the lines of a replica stream (spec/journal §6.5) into a decision point. A state and its name change in one step, at
 * the line `complete`: a stream that is cut anywhere leaves both as they were.
 */

import type { DecisionSettings, TouchedIds } from "./compiled-users.ts";
import { DecisionPoint } from "./decision-point.ts";
import { type ReplicaRecord, ReplicaState } from "./replica-state.ts";

/** A line of the stream that is no record. Services of version 0.2 send no `id`, and a log with `checkpoint` alone. */
type Head =
  | { readonly type: "checkpoint"; readonly log: string }
  | { readonly type: "entry"; readonly revision: number; readonly id?: string; readonly change: TouchedIds }
  | { readonly type: "complete"; readonly log?: string; readonly revision: number; readonly id?: string }
  | {
      readonly type: "revision";
      readonly revision: number;
      readonly id?: string;
      readonly age_ms: number;
      readonly settings: DecisionSettings;
    };

type Newest = Extract<Head, { type: "revision" }>;

/** The entry that a state was read at. */
interface Name {
  readonly log: string;
  readonly revision: number;
  /** Undefined where the service does not say it. */
  readonly entry: string | undefined;
}

/** A block that is not complete. */
type Block =
  | { readonly kind: "checkpoint"; readonly log: string; readonly state: ReplicaState }
  | {
      readonly kind: "entry";
      readonly revision: number;
      readonly change: TouchedIds;
      readonly records: ReplicaRecord[];
    };

/** A state under its name. */
interface Held {
  readonly state: ReplicaState;
  readonly name: Name;
  /** Undefined until the service has said how it decides. */
  readonly point: DecisionPoint | undefined;
}

/** The state of one replica. */
export class ReplicaReader {
  readonly #onCurrent: (ageMs: number) => void;
  #settings: DecisionSettings | undefined;
  #held: Held | undefined;
  #block: Block | undefined;

  /** @param onCurrent hears that the state was the newest, as of some milliseconds ago */
  constructor(onCurrent: (ageMs: number) => void) {
    this.#onCurrent = onCurrent;
  }

  /** The decision point; undefined before the first state. */
  get point(): DecisionPoint | undefined {
    return this.#held?.point;
  }

  /** `N.LOG` of the state; undefined before the first, and where the service named no log. */
  get revision(): string | undefined {
    const { log, revision } = this.#held?.name ?? { log: "", revision: 0 };
    return log === "" || this.point === undefined ? undefined : `${revision}.${log}`;
  }

  /** `N.LOG.ENTRY`; undefined, too, where the service named no entry. */
  get position(): string | undefined {
    const entry = this.#held?.name.entry;
    return entry === undefined || this.revision === undefined ? undefined : `${this.revision}.${entry}`;
  }

  /** Begins with a new stream: what the one before left incomplete is dropped. */
  begin(): void {
    this.#block = undefined;
    if (this.point === undefined) this.#held = undefined;
  }

  /**
   * Takes a line.
   * @throws Error for one that does not fit; the state is as it was before the block
   */
  take(line: unknown): void {
    if (Array.isArray(line)) this.#record(line as unknown as ReplicaRecord);
    else this.#head(line as Head);
  }

  #record(record: ReplicaRecord): void {
    const block = this.#block;
    if (block === undefined) throw new Error("a record outside of a block");
    if (block.kind === "checkpoint") block.state.apply(record);
    else {
      ReplicaState.assertKnown(record);
      block.records.push(record);
    }
  }

  #head(head: Head): void {
    switch (head.type) {
      case "checkpoint":
        this.#block = { kind: "checkpoint", log: head.log, state: new ReplicaState() };
        break;
      case "entry": {
        const { revision, change } = head;
        if (this.#held === undefined || revision !== this.#held.name.revision + 1) {
          throw new Error("a gap in the log");
        }
        this.#block = { kind: "entry", revision, change, records: [] };
        break;
      }
      case "complete":
        this.#complete(head);
        break;
      case "revision":
        this.#newest(head);
        break;
    }
  }

  #complete({ log, revision, id: entry }: Extract<Head, { type: "complete" }>): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) throw new Error("the end of a block that did not begin");
    if (block.kind === "checkpoint") {
      this.#hold(block.state, { log: log ?? block.log, revision, entry });
      return;
    }
    const held = this.#held!;
    if (revision !== block.revision || (log !== undefined && log !== held.name.log)) {
      throw new Error("the end of another block than began");
    }
    for (const record of block.records) held.state.apply(record);
    held.point?.changed(block.change);
    this.#held = { ...held, name: { log: held.name.log, revision, entry } };
  }

  #hold(state: ReplicaState, name: Name): void {
    const settings = this.#settings;
    this.#held = { state, name, point: settings && new DecisionPoint(state, settings) };
  }

  /** Takes the state for the newest only if the entry that the service names is the state's own. */
  #newest({ revision, id, age_ms, settings }: Newest): void {
    if (this.#block !== undefined) throw new Error("the newest revision within a block");
    const isOther = JSON.stringify(settings) !== JSON.stringify(this.#settings);
    this.#settings = settings;
    if (this.#held === undefined) return;
    const { state, name, point } = this.#held;
    if (point === undefined || isOther) this.#hold(state, name);
    const isSame = id === undefined || name.entry === undefined || id === name.entry;
    if (revision === name.revision && isSame) this.#onCurrent(age_ms);
  }
}
