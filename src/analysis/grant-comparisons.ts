/**
 * Comparisons of grants in a separate thread. The comparison is exact, and hostile policies could make it take
 * unlimited time and memory. So the thread has limits for both, and no other request waits for it (security.md §5.3).
 */

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AuthorizerError } from "../errors.ts";
import type { NamedStatements } from "../model/policy.ts";
import type { Vocabulary } from "../model/policy-warnings.ts";
import type { Beyond, Grant } from "./grant.ts";
import type { Told } from "./grant-worker.ts";

/** Settings of {@link GrantComparisons}. */
export interface ComparisonLimits {
  readonly partition: string;
  /** Makes examples readable. */
  readonly vocabulary: Pick<Vocabulary, "actions" | "resourceTypes">;
  /** Milliseconds that one comparison may take; default 2,000. Usual ones take one or two. */
  readonly patience?: number;
}

const PATIENCE_MS = 2_000;
/** The thread ends when nothing was compared for so long, and gives its memory back. */
const IDLE_MS = 30_000;
const MEMORY_MB = 96;
/** Characters of policies that are compared at all: handing them to the thread takes a few milliseconds. */
const MOST_TEXT = 2 << 20;
/** Comparisons that may wait. */
const MOST_WAITING = 64;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const UNKNOWN: Beyond = { what: "comparing them takes too long", certain: false };

interface Job {
  readonly grant: Grant;
  resolve(beyond: Beyond | undefined): void;
  reject(error: unknown): void;
}

/** Compares one grant at a time, those of different givers in turn. */
export class GrantComparisons {
  readonly #limits: ComparisonLimits;
  /** By giver, so that whoever asks for much waits for themselves. */
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
   * The rights of the grant beyond those of its giver; marked as uncertain if the comparison took too long.
   * @throws AuthorizerError "unavailable" if too many comparisons wait
   */
  beyond(grant: Grant): Promise<Beyond | undefined> {
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

  /** Ends the thread; what waits is refused. */
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
      // No thread to be had, or nothing that could be handed to one: whoever waits must hear of it.
      this.#fail(error);
    }
  }

  #told(what: Told): void {
    if (what === "began") {
      this.#timer = setTimeout(() => this.#giveUp(), this.#limits.patience ?? PATIENCE_MS);
    } else this.#finish(({ resolve }) => resolve(what.beyond));
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
    worker.on("message", (what: Told) => only(() => this.#told(what)));
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

/** The parts of a grant that the thread needs, as plain data. */
function plain({ giver, held, granted, actsAs }: Grant): Grant {
  const statements = ({ name, statement }: NamedStatements): NamedStatements => ({ name, statement });
  return { giver, held: held.map(statements), granted: granted.map(statements), actsAs };
}

/** Stops counting as soon as the answer is known. */
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
