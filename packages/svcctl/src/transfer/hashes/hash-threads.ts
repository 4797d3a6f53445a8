/** MD5 checksums of files that are uploaded, or grow while they are downloaded, computed in threads beside the transfer. */

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { HashLag } from "./hash-lag.ts";

/** An order to a thread, about one file. */
export interface HashOrder {
  readonly id: number;
  /** Opens the file. */
  readonly path?: string;
  /** With `path`: the position of the first byte. */
  readonly start?: number;
  /** With `path`: is computed with others where there are enough of them. */
  readonly together?: boolean;
  /** The bytes below this position are there. */
  readonly reached?: number;
  readonly end?: "digest" | "forget";
}

/** A thread tells how far it is: the bytes of a file below a position are computed. */
export interface HashProgress {
  readonly id: number;
  readonly computed: number;
}

/** The answer of a thread. */
export interface HashAnswer {
  readonly id: number;
  readonly digest?: string;
  readonly error?: string;
}

/** The checksum of one file. */
export interface FollowingHash {
  /** Says that the bytes below a position are in the file and will not change. */
  reached(position: number): void;
  /**
   * Resolves when no more bytes than that are there and not computed; undefined where it is so already, and for files that
   * are computed with others. A transfer that runs ahead would leave a processor idle behind its end.
   */
  behind(most: number): Promise<void> | undefined;
  /** The MD5 of the bytes from the start to the last position, as lower-case hexadecimal. */
  digest(): Promise<string>;
  /** Ends it without a result. */
  forget(): void;
}

/** Threads at most: two compare 1.5 GB in a second, and each takes memory. */
const THREADS = 2;

/** Largest content that is computed with others, in bytes: the last one takes longer when it is alone. */
const LARGEST_TOGETHER = 64 * 1024 * 1024;

/** Memory of a thread, whose blocks are outside of it. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

interface Waiting {
  readonly resolve: (digest: string) => void;
  readonly reject: (error: Error) => void;
}

/** Threads, started when they are needed. */
export class HashThreads {
  readonly #workers: Worker[] = [];
  readonly #waiting = new Map<number, Waiting>();
  readonly #failed = new Map<number, Error>();
  readonly #lags = new Map<number, HashLag>();
  #opened = 0;

  /**
   * Begins a content, whose file is there already.
   * @param size bytes that the content will have
   * @param start position of its first byte in the file
   */
  follow(path: string, size: number, start = 0): FollowingHash {
    const id = this.#opened;
    this.#opened += 1;
    const together = size <= LARGEST_TOGETHER;
    const worker = this.#worker(together ? 0 : id % THREADS);
    const tell = (order: Omit<HashOrder, "id">): void => worker.postMessage({ id, ...order });
    tell({ path, start, together });
    const lag = new HashLag(start);
    if (!together) this.#lags.set(id, lag);
    return {
      reached: (position) => {
        lag.reached(position);
        tell({ reached: position });
      },
      behind: (most) => (together ? undefined : lag.atMost(most)),
      digest: () => {
        tell({ end: "digest" });
        return new Promise((resolve, reject) => {
          const failure = this.#failed.get(id);
          if (failure === undefined) this.#waiting.set(id, { resolve, reject });
          else reject(failure);
        });
      },
      forget: () => {
        this.#endLag(id);
        tell({ end: "forget" });
      },
    };
  }

  /** Ends the threads. */
  close(): void {
    for (const worker of this.#workers) void worker.terminate();
    this.#workers.length = 0;
  }

  #worker(index: number): Worker {
    const worker = this.#workers[index] ?? this.#start();
    this.#workers[index] = worker;
    return worker;
  }

  #start(): Worker {
    const file = new URL(`./hash-worker${extname(import.meta.filename)}`, import.meta.url);
    // Nothing of the program around it: neither its flags nor its environment.
    const worker = new Worker(file, { execArgv: [], env: {}, resourceLimits: LIMITS });
    worker.unref();
    worker.on("message", (message: HashAnswer | HashProgress) => {
      if ("computed" in message) this.#lags.get(message.id)?.computed(message.computed);
      else this.#settle(message);
    });
    worker.on("error", (error) => {
      for (const id of [...this.#lags.keys()]) this.#endLag(id);
      for (const id of this.#waiting.keys()) this.#settle({ id, error: error.message });
    });
    return worker;
  }

  #endLag(id: number): void {
    this.#lags.get(id)?.end();
    this.#lags.delete(id);
  }

  #settle({ id, digest, error }: HashAnswer): void {
    this.#endLag(id);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (digest !== undefined) {
      waiting?.resolve(digest);
      return;
    }
    const failure = new Error(`the checksum of the file cannot be computed: ${error}`);
    if (waiting === undefined) this.#failed.set(id, failure);
    else waiting.reject(failure);
  }
}
