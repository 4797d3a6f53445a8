/** The workers of a primary process (spec/journal §7), by node:cluster: they share its listening sockets. */

import cluster, { type Worker } from "node:cluster";
import { type Answerer, Channel } from "./channel.ts";
import { watchPassedConnections } from "./passed-connections.ts";

/** Port: the log. */
interface FleetLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Options of {@link WorkerFleet}. */
interface FleetOptions {
  /** File that a worker runs. */
  readonly entry: string;
  readonly count: number;
  /** Answers the questions of a worker. */
  readonly answerers: (worker: FleetWorker) => ReadonlyMap<string, Answerer>;
  /** Called when a worker has ended. */
  readonly onGone: (worker: FleetWorker) => void;
  readonly log: FleetLog;
  /** Names the kind of the question to which a worker answers once it serves. */
  readonly readyKind: string;
  /** The question's body. */
  readonly start: () => unknown;
}

/** A worker. */
export interface FleetWorker {
  readonly pid: number;
  readonly channel: Channel;
}

/** A worker that ended earlier than this after its start is replaced after a pause. */
const SHORT_LIFE_MS = 5_000;
const PAUSE_MS = 1_000;

/** Starts workers, replaces those that end, and stops all. */
export class WorkerFleet<Ready> {
  readonly #options: FleetOptions;
  readonly #workers = new Map<Worker, FleetWorker>();
  readonly #serving = new Set<FleetWorker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #stopping = false;
  /** Workers that took the place of another. */
  replaced = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    cluster.setupPrimary({ exec: options.entry, args: [], serialization: "advanced" });
  }

  /** The workers that serve. */
  get workers(): readonly FleetWorker[] {
    return [...this.#serving];
  }

  /** Starts all; resolves with their answers once they serve, rejects as the first that cannot does. */
  start(): Promise<readonly Ready[]> {
    // One after the other: the first finds out whether the addresses can be had.
    return this.#startAll();
  }

  /** Tells something to every worker but one. */
  tell(kind: string, body?: unknown, except?: FleetWorker): void {
    for (const worker of this.#workers.values()) if (worker !== except) worker.channel.tell(kind, body);
  }

  /** Stops all: each finishes what it has begun; what has not ended in time is ended. */
  async stop(kind: string, withinMs: number): Promise<void> {
    this.#stopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const ends = [...this.#workers].map(async ([worker, { channel }]) => {
      const ended = new Promise<void>((resolve) => {
        worker.once("exit", () => resolve());
      });
      channel.tell(kind);
      const timer = setTimeout(() => worker.process.kill("SIGKILL"), withinMs);
      await ended;
      clearTimeout(timer);
    });
    await Promise.all(ends);
  }

  async #startAll(): Promise<readonly Ready[]> {
    const answers: Ready[] = [];
    for (let index = 0; index < this.#options.count; index++) answers.push(await this.#fork());
    return answers;
  }

  async #fork(): Promise<Ready> {
    const { readyKind, start } = this.#options;
    const worker = cluster.fork();
    const closePassed = watchPassedConnections(worker.process);
    const answerers = new Map<string, Answerer>();
    const channel = new Channel(
      {
        send: (message, sent) => {
          if (worker.isConnected()) worker.send(message as never, sent);
          else sent(new Error("the worker is gone"));
        },
        onMessage: (listener) => worker.on("message", listener),
      },
      answerers,
    );
    const one: FleetWorker = { pid: worker.process.pid ?? 0, channel };
    for (const [kind, answerer] of this.#options.answerers(one)) answerers.set(kind, answerer);
    this.#workers.set(worker, one);
    const born = performance.now();
    worker.once("exit", (code, signal) => {
      this.#workers.delete(worker);
      const served = this.#serving.delete(one);
      channel.close();
      closePassed();
      this.#options.onGone(one);
      if (this.#stopping || !served) return;
      this.#options.log.error("a worker ended and is replaced", { pid: one.pid, code, signal });
      this.#replace(performance.now() - born < SHORT_LIFE_MS ? PAUSE_MS : 0);
    });
    try {
      const answer = await channel.ask<Ready>(readyKind, start());
      this.#serving.add(one);
      return answer;
    } catch (error) {
      // It serves nobody, and another one takes its place.
      worker.process.kill("SIGKILL");
      throw error;
    }
  }

  #replace(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.replaced += 1;
      this.#fork().catch((error: unknown) => {
        this.#options.log.error("a worker could not be started; it is tried again", { error });
        if (!this.#stopping) this.#replace(PAUSE_MS);
      });
    }, pauseMs);
    this.#pauses.add(pause);
  }
}
