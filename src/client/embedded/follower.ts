/** Follows the replica stream of a service into a decision point, and knows how old it is (journal.md §6.5). */

import { ClientError } from "../client-error.ts";
import { readLines } from "../read-lines.ts";
import { pause, waitBefore } from "../retry.ts";
import { Transport, type TransportOptions } from "../transport.ts";
import type { DecisionSettings, TouchedIds } from "./compiled-users.ts";
import { DecisionPoint } from "./decision-point.ts";
import { type ReplicaRecord, ReplicaState } from "./replica-state.ts";

/** A line of the stream that is no record. */
type Head =
  | { readonly type: "checkpoint"; readonly log: string }
  | { readonly type: "entry"; readonly revision: number; readonly change: TouchedIds }
  | { readonly type: "complete"; readonly revision: number }
  | {
      readonly type: "revision";
      readonly revision: number;
      readonly age_ms: number;
      readonly settings: DecisionSettings;
    };

/** Nothing heard for this long means that the connection is dead: the service says its revision every 5 s. */
const SILENCE_MS = 12_000;

/** One replica. */
export class Follower {
  readonly #transport: Transport;
  readonly #onError: ((error: ClientError) => void) | undefined;
  readonly #stop = new AbortController();
  readonly #ready: Promise<void>;
  #isReady: () => void = () => undefined;
  #cannot: (error: ClientError) => void = () => undefined;
  #point: DecisionPoint | undefined;
  #settings: DecisionSettings | undefined;
  #log = "";
  #revision = 0;
  /** The time at which the state was last known to be the newest, by the monotonic and by the wall clock. */
  #currentAt = { monotonic: Number.NEGATIVE_INFINITY, wall: 0 };
  /** A state that is being sent, or the records of an entry that is not complete. */
  #coming: ReplicaState | undefined;
  #entry: { readonly change: TouchedIds; readonly records: ReplicaRecord[] } | undefined;

  constructor(options: TransportOptions, onError: ((error: ClientError) => void) | undefined) {
    this.#transport = new Transport(options);
    this.#onError = onError;
    this.#ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#cannot = reject;
    });
    this.#ready.catch(() => undefined);
    void this.#run();
  }

  /** Resolves when the first state is complete; rejects where the service refuses the token. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** The decision point; undefined before the first state. */
  get point(): DecisionPoint | undefined {
    return this.#point;
  }

  /** The revision of the state, as `N.LOG`. */
  get revision(): string | undefined {
    return this.#point === undefined ? undefined : `${this.#revision}.${this.#log}`;
  }

  /** Milliseconds since the state was known to be the newest. A machine that slept counts its sleep. */
  get staleness(): number {
    const { monotonic, wall } = this.#currentAt;
    return Math.max(performance.now() - monotonic, Date.now() - wall);
  }

  /** Ends the connection. */
  close(): void {
    this.#stop.abort();
    this.#cannot(new ClientError(0, "the decision point was closed", [], { code: "unreachable" }));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const before = this.#currentAt.monotonic;
      const failure = await this.#connection(signal);
      if (signal.aborted) return;
      this.#onError?.(failure);
      if (failure.code === "unauthenticated" || failure.code === "not_allowed") this.#cannot(failure);
      if (this.#currentAt.monotonic > before) attempt = 0;
      await pause(waitBefore(attempt, failure), signal).catch(() => undefined);
    }
  }

  /** Reads one connection to its end, and returns why it ended. */
  async #connection(signal: AbortSignal): Promise<ClientError> {
    this.#coming = undefined;
    this.#entry = undefined;
    try {
      const after = this.#point === undefined ? "" : `?after=${this.revision}`;
      const response = await this.#transport.open(`/api/v1/replica${after}`, signal);
      for await (const line of readLines(response, SILENCE_MS)) this.#take(JSON.parse(line) as unknown);
      return new ClientError(0, "the service ended the stream", [], { code: "unreachable" });
    } catch (error) {
      if (error instanceof ClientError) return error;
      return new ClientError(0, "the stream broke", [], { code: "unreachable", cause: error });
    }
  }

  #take(line: unknown): void {
    if (Array.isArray(line)) this.#record(line as unknown as ReplicaRecord);
    else this.#head(line as Head);
  }

  #record(record: ReplicaRecord): void {
    if (this.#entry !== undefined) this.#entry.records.push(record);
    else if (this.#coming !== undefined) this.#coming.apply(record);
    else throw new Error("a record outside of a block");
  }

  #head(head: Head): void {
    switch (head.type) {
      case "checkpoint":
        this.#coming = new ReplicaState();
        this.#log = head.log;
        break;
      case "entry":
        if (this.#point === undefined || head.revision !== this.#revision + 1)
          throw new Error("a gap in the log");
        this.#entry = { change: head.change, records: [] };
        break;
      case "complete":
        this.#complete(head.revision);
        break;
      case "revision":
        this.#newest(head);
        break;
    }
  }

  #complete(revision: number): void {
    if (this.#entry !== undefined && this.#point !== undefined) {
      for (const record of this.#entry.records) this.#point.state.apply(record);
      this.#point.changed(this.#entry.change);
      this.#entry = undefined;
    } else if (this.#coming !== undefined && this.#settings !== undefined) {
      this.#point = new DecisionPoint(this.#coming, this.#settings);
      this.#coming = undefined;
    }
    this.#revision = revision;
  }

  #newest({ revision, age_ms, settings }: Extract<Head, { type: "revision" }>): void {
    const isOther = JSON.stringify(settings) !== JSON.stringify(this.#settings);
    this.#settings = settings;
    const state = this.#coming ?? this.#point?.state;
    if (state !== undefined && (isOther || this.#coming !== undefined)) {
      this.#point = new DecisionPoint(state, settings);
      this.#coming = undefined;
    }
    if (this.#point === undefined || revision > this.#revision) return;
    this.#currentAt = { monotonic: performance.now() - age_ms, wall: Date.now() - age_ms };
    this.#isReady();
  }
}
