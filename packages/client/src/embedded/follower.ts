/** Follows the replica stream of a service into a decision point, and knows how old it is (spec/journal §6.5). */

import { FORGET_AT, parseRevision } from "@svc-authorizer/policy/revision.ts";
import { ClientError } from "../client-error.ts";
import { ageOf, momentAgo, NEVER } from "../moment.ts";
import { readLines } from "../read-lines.ts";
import { pause, waitBefore } from "../retry.ts";
import { Transport, type TransportOptions } from "../transport.ts";
import type { DecisionPoint } from "./decision-point.ts";
import { ReplicaReader } from "./replica-reader.ts";

/** Nothing heard for this long means that the connection is dead: the service says its revision every 5 s. */
const SILENCE_MS = 12_000;

/** One replica. */
export class Follower {
  readonly #transport: Transport;
  readonly #onError: ((error: ClientError) => void) | undefined;
  readonly #stop = new AbortController();
  readonly #ready: Promise<void>;
  readonly #reader: ReplicaReader;
  #isReady: () => void = () => undefined;
  #cannot: (error: ClientError) => void = () => undefined;
  /** The moment at which the state was last known to be the newest. */
  #currentAt = NEVER;
  /** The position that the service has lost: it is not named again. */
  #lost: string | undefined;

  constructor(options: TransportOptions, onError: ((error: ClientError) => void) | undefined) {
    this.#transport = new Transport(options);
    this.#onError = onError;
    this.#ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#cannot = reject;
    });
    this.#ready.catch(() => undefined);
    this.#reader = new ReplicaReader((ageMs) => {
      this.#currentAt = momentAgo(ageMs);
      this.#isReady();
    });
    void this.#run();
  }

  /** Resolves when the first state is complete; rejects where the service refuses the token. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** The decision point; undefined before the first state. */
  get point(): DecisionPoint | undefined {
    return this.#reader.point;
  }

  /** The revision of the state, as `N.LOG`. */
  get revision(): string | undefined {
    return this.#reader.revision;
  }

  /** The position of the state, as `N.LOG.ENTRY`. */
  get position(): string | undefined {
    return this.#reader.position;
  }

  /** Milliseconds since the state was known to be the newest. A machine that slept counts its sleep. */
  get staleness(): number {
    return ageOf(this.#currentAt);
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

  /**
   * Reads one connection to its end, and returns why it ended. A state whose entry is not known, or that the service has
   * lost, is not named: the service then sends a whole one.
   */
  async #connection(signal: AbortSignal): Promise<ClientError> {
    this.#reader.begin();
    const { position } = this.#reader;
    const isNamed = position !== undefined && position !== this.#lost;
    try {
      // Behind a balancer the next node may be a little behind: it is to catch up, not to send an older state.
      this.#transport.asksFor(isNamed ? parseRevision(this.revision ?? null, position) : undefined);
      const query = isNamed ? `?position=${position}` : "";
      const response = await this.#transport.open(`/api/v1/replica${query}`, signal);
      for await (const line of readLines(response, SILENCE_MS))
        this.#reader.take(JSON.parse(line) as unknown);
      return new ClientError(0, "the service ended the stream", [], { code: "unreachable" });
    } catch (error) {
      if (!(error instanceof ClientError)) {
        return new ClientError(0, "the stream broke", [], { code: "unreachable", cause: error });
      }
      if (FORGET_AT.has(error.code)) this.#lost = position;
      return error;
    }
  }
}
