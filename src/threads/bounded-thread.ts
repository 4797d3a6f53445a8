/**
 * A thread for work that can need any time and memory, with limits for both, so that no other request waits for it
 * (spec/security §5.3). It starts with the first job and ends when it is idle.
 */

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Settings of a {@link BoundedThread}. */
interface BoundedThreadOptions {
  /** Name of the thread, for people who look at the process. */
  readonly name: string;
  /** The file of the thread without its ending: beside this file, or a URL. */
  readonly file: string | URL;
  /** Whatever the thread needs from the beginning. */
  readonly data: unknown;
  /** Undefined: as much as the process may take. */
  readonly memoryMb?: number;
  /** Message of the error when too many jobs wait. */
  readonly busy: string;
}

/** Messages of the thread. What a job takes is counted from "began"; before that, the thread loads its program. */
export type ThreadMessage<R> = "began" | { readonly result: R };

/** The answer to a job that reached its time limit, or the memory limit of the thread. */
export const GIVEN_UP = Symbol("given up");

const IDLE_MS = 30_000;
/** Milliseconds that pass at most beyond the patience of a job: other threads and processes run, too. */
const MOST_WAITED_MS = 30_000;
/** Shortest time between two looks at the CPU time of a job, in milliseconds. */
const LOOK_MS = 10;
/** Jobs that may wait, and those of them that may be of one caller. */
const MOST_WAITING = 64;
const MOST_OF_CALLER = MOST_WAITING / 2;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

interface Job<J, R> {
  readonly work: J;
  readonly patience: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal | undefined;
  resolve(result: R | typeof GIVEN_UP): void;
  reject(error: unknown): void;
}

/** Runs one job at a time, those of different callers in turn. */
export class BoundedThread<J, R> {
  readonly #options: BoundedThreadOptions;
  /** By caller, so that the jobs of one caller do not delay those of others. */
  readonly #waiting = new Map<string, Job<J, R>[]>();
  #size = 0;
  #worker: Worker | undefined;
  #current: Job<J, R> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: BoundedThreadOptions) {
    this.#options = options;
  }

  /**
   * Returns what the thread answers, or {@link GIVEN_UP}.
   * @param patience milliseconds of CPU that the job may take; undefined: however many it takes
   * @param signal aborted when nobody waits for the result any more: the job ends
   * @throws AuthorizerError "unavailable" if too many jobs wait, in all or of the caller; the signal's reason; else what the
   * job throws
   */
  run(
    caller: string,
    work: J,
    patience?: number,
    signal?: AbortSignal | undefined,
  ): Promise<R | typeof GIVEN_UP> {
    const queue = this.#waiting.get(caller) ?? [];
    if (this.#closed || this.#size >= MOST_WAITING || queue.length >= MOST_OF_CALLER) {
      return Promise.reject(this.#busy());
    }
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const job: Job<J, R> = { work, patience, signal, resolve, reject };
      queue.push(job);
      this.#waiting.set(caller, queue);
      this.#size++;
      signal?.addEventListener("abort", () => this.#leave(caller, job), { once: true });
      this.#next();
    });
  }

  /** Ends the thread and refuses the jobs that wait. */
  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...(this.#current === undefined ? [] : [this.#current]), ...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    await this.#end();
    const stops = new AuthorizerError("unavailable", "the service stops");
    for (const { reject } of jobs) reject(stops);
  }

  /** Ends a job for which nobody waits any more. */
  #leave(caller: string, job: Job<J, R>): void {
    if (this.#current === job) {
      void this.#end();
      this.#current = undefined;
      job.reject(job.signal?.reason);
      // Later: others may be left at the same time, and to start the thread for each of them would take long.
      setImmediate(() => this.#next());
      return;
    }
    const queue = this.#waiting.get(caller) ?? [];
    const place = queue.indexOf(job);
    if (place < 0) return;
    queue.splice(place, 1);
    if (queue.length === 0) this.#waiting.delete(caller);
    this.#size--;
    job.reject(job.signal?.reason);
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
    const [caller, queue] = first;
    const job = queue.shift() as Job<J, R>;
    this.#size--;
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue);
    this.#begin(job);
  }

  #begin(job: Job<J, R>): void {
    this.#current = job;
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(job.work);
    } catch (error) {
      // The thread cannot start, or the job cannot be sent to it: the caller gets the error.
      this.#fail(error);
    }
  }

  #receive(message: ThreadMessage<R>): void {
    if (message === "began") void this.#watch();
    else this.#finish(({ resolve }) => resolve(message.result));
  }

  /**
   * Gives the current job up when it has taken its patience. It counts in CPU time: on a busy machine, a job that waits for
   * the CPU would else be given up before it has done anything.
   */
  async #watch(): Promise<void> {
    const [job, worker] = [this.#current, this.#worker];
    const patience = job?.patience;
    if (patience === undefined || worker === undefined) return;
    this.#timer = setTimeout(() => this.#giveUp(), patience + MOST_WAITED_MS);
    const isCurrent = () => this.#current === job && this.#worker === worker;
    const began = await cpuTimeOf(worker);
    const look = async (): Promise<void> => {
      const left = began + patience - (await cpuTimeOf(worker));
      if (!isCurrent()) return;
      if (left <= 0) this.#giveUp();
      else this.#look = setTimeout(look, Math.max(left, LOOK_MS));
    };
    if (isCurrent()) this.#look = setTimeout(look, patience);
  }

  #start(): Worker {
    const { name, file, data, memoryMb } = this.#options;
    const { href } = typeof file === "string" ? new URL(`./${file}`, import.meta.url) : file;
    const worker = new Worker(new URL(`${href}${extname(import.meta.filename)}`), {
      name,
      workerData: data,
      ...(memoryMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    const only = (handle: () => void): void => {
      if (this.#worker === worker) handle();
    };
    worker.on("message", (message: ThreadMessage<R>) => only(() => this.#receive(message)));
    worker.on("error", (error: NodeJS.ErrnoException) =>
      only(() => {
        if (error.code === OUT_OF_MEMORY) this.#giveUp();
        else this.#fail(error);
      }),
    );
    worker.on("exit", () => only(() => this.#fail(new Error(`the thread ended: ${name}`))));
    return worker;
  }

  #finish(answer: (job: Job<J, R>) => void): void {
    const job = this.#current;
    this.#current = undefined;
    clearTimeout(this.#look);
    if (job !== undefined) answer(job);
    this.#next();
  }

  #giveUp(): void {
    void this.#end();
    this.#finish(({ resolve }) => resolve(GIVEN_UP));
  }

  #fail(error: unknown): void {
    void this.#end();
    this.#finish(({ reject }) => reject(error));
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#look);
    await worker?.terminate();
  }

  #busy(): AuthorizerError {
    return new AuthorizerError("unavailable", this.#options.busy, { retryAfterSeconds: 1 });
  }
}

/** CPU time of a thread so far, in milliseconds; before Node.js 24.6, which cannot tell, the time that has passed. */
async function cpuTimeOf(worker: Partial<Worker>): Promise<number> {
  if (worker.cpuUsage === undefined) return performance.now();
  // A thread that has ended uses nothing any more.
  const used = await worker.cpuUsage().catch(() => undefined);
  return used === undefined ? 0 : (used.user + used.system) / 1_000;
}
