/**
 * Compares grants in a thread. The comparison is exact, and hostile policies can make it need any time and memory. So
 * the thread has limits for both, and no other request waits for it (security.md §5.3).
 */

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AuthorizerError } from "../errors.ts";
import type { NamedStatements } from "../model/policy.ts";
import type { Vocabulary } from "../model/policy-warnings.ts";
import type { ExcessRight, Grant } from "./grant.ts";
import type { WorkerMessage } from "./grant-worker.ts";

/** Settings of {@link GrantComparisons}. */
export interface ComparisonLimits {
  readonly partition: string;
  /** Makes examples readable. */
  readonly vocabulary: Pick<Vocabulary, "actions" | "resourceTypes">;
  /** Milliseconds that one comparison may take; default 2,000. Usual ones take one or two. */
  readonly patience?: number;
}

const PATIENCE_MS = 2_000;
/** Idle time after which the thread ends, to release its memory. */
const IDLE_MS = 30_000;
const MEMORY_MB = 96;
/** Most characters of policies to compare: sending them to the thread takes a few milliseconds. */
const MOST_TEXT = 2 << 20;
/** Comparisons that may wait. */
const MOST_WAITING = 64;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const UNKNOWN: ExcessRight = { what: "comparing them takes too long", certain: false };

interface Job {
  readonly grant: Grant;
  resolve(excess: ExcessRight | undefined): void;
  reject(error: unknown): void;
}

/** Compares one grant at a time, those of different givers in turn. */
export class GrantComparisons {
  readonly #limits: ComparisonLimits;
  /** By giver, so that the requests of one giver do not delay those of others. */
  readonly #waiting = new Map<string, Job[]>();
  #size = 0;
  #worker: Worker | undefined;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: ComparisonLimits) {
    this.#limits = limits;
  }

  /**
   * The right that the grant gives beyond those of its giver; not certain if the comparison took too long.
   * @throws AuthorizerError "unavailable" if too many comparisons wait
   */
  excessRight(grant: Grant): Promise<ExcessRight | undefined> {
    if (isLarge([...grant.held, ...grant.granted])) return Promise.resolve(UNKNOWN);
    if (this.#closed || this.#size >= MOST_WAITING) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const job: Job = { grant: plain(grant), resolve, reject };
      const queue = this.#waiting.get(grant.giver);
      if (queue === undefined) this.#waiting.set(grant.giver, [job]);
      else queue.push(job);
      this.#size++;
      this.#next();
    });
  }

  /** Ends the thread and refuses the comparisons that wait. */
  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...(this.#current === undefined ? [] : [this.#current]), ...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    await this.#end();
    for (const { reject } of jobs) reject(tooMany());
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const [first] = this.#waiting;
    clearTimeout(this.#timer);
    if (first === undefined) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    const [giver, queue] = first;
    const job = queue.shift() as Job;
    this.#size--;
    this.#waiting.delete(giver);
    if (queue.length > 0) this.#waiting.set(giver, queue);
    this.#compare(job);
  }

  #compare(job: Job): void {
    this.#current = job;
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(job.grant);
    } catch (error) {
      // The thread cannot start, or the grant cannot be sent to it: the caller gets the error.
      this.#fail(error);
    }
  }

  #receive(what: WorkerMessage): void {
    if (what === "began") {
      this.#timer = setTimeout(() => this.#giveUp(), this.#limits.patience ?? PATIENCE_MS);
    } else this.#finish(({ resolve }) => resolve(what.excess));
  }

  #start(): Worker {
    const { partition, vocabulary } = this.#limits;
    const { actions, resourceTypes } = vocabulary;
    const worker = new Worker(new URL(`./grant-worker${extname(import.meta.filename)}`, import.meta.url), {
      name: "comparison of grants",
      workerData: { partition, vocabulary: { actions, resourceTypes } },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const only = (handle: () => void): void => {
      if (this.#worker === worker) handle();
    };
    worker.on("message", (what: WorkerMessage) => only(() => this.#receive(what)));
    worker.on("error", (error: NodeJS.ErrnoException) =>
      only(() => {
        if (error.code === OUT_OF_MEMORY) this.#giveUp();
        else this.#fail(error);
      }),
    );
    worker.on("exit", () => only(() => this.#fail(new Error("the thread that compares grants ended"))));
    return worker;
  }

  #finish(answer: (job: Job) => void): void {
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined) answer(job);
    this.#next();
  }

  #giveUp(): void {
    void this.#end();
    this.#finish(({ resolve }) => resolve(UNKNOWN));
  }

  #fail(error: unknown): void {
    void this.#end();
    this.#finish(({ reject }) => reject(error));
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    await worker?.terminate();
  }
}

function tooMany(): AuthorizerError {
  return new AuthorizerError("unavailable", "too many grants are compared at once, try again", {
    retryAfterSeconds: 1,
  });
}

/** The grant with only the fields that the thread needs and that can be sent to it. */
function plain({ giver, held, granted, actsAs }: Grant): Grant {
  const statements = ({ name, statement }: NamedStatements): NamedStatements => ({ name, statement });
  return { giver, held: held.map(statements), granted: granted.map(statements), actsAs };
}

/** True for policies with more text than {@link MOST_TEXT}. */
function isLarge(policies: readonly NamedStatements[]): boolean {
  let left = MOST_TEXT;
  for (const { statement } of policies) {
    for (const { action, resource, condition } of statement) {
      left -= resource.length + action.reduce((sum, one) => sum + one.length, 0);
      if (condition !== undefined && condition !== null) left -= JSON.stringify(condition).length;
      if (left < 0) return true;
    }
  }
  return false;
}
