/** Questions about the records of a node and all its processes (spec/decision-log §3). A thread answers them. */

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { IndexAnswer, IndexedChains, IndexMessage, IndexQuestion } from "./index-worker.ts";
import type {
  NewRecords,
  PolicyRefusals,
  RecordFilter,
  RecordPage,
  RecordPageRequest,
} from "./record-filter.ts";

/** Most questions that wait for their answers. */
const MOST_WAITING = 64;

/** The chains to be asked. */
interface DecisionIndexOptions extends Omit<IndexedChains, "records"> {
  /** The kind of the records; default decisions. */
  readonly records?: IndexedChains["records"];
  /** Brings what was recorded so far into the files. */
  readonly flush: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: IndexAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks the index. The thread starts with the first question. */
export class DecisionIndex {
  readonly #options: DecisionIndexOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #count = 0;

  constructor(options: DecisionIndexOptions) {
    this.#options = options;
  }

  /** Returns records, newest first. Rejects with AuthorizerError "unavailable". */
  async page(filter: RecordFilter, page: RecordPageRequest): Promise<RecordPage> {
    return (await this.#ask({ kind: "page", filter, page })) as RecordPage;
  }

  /** Returns the record of an id as JSON text; undefined if there is none. */
  async get(id: string): Promise<string | undefined> {
    return ((await this.#ask({ kind: "get", id })) as { readonly record: string | undefined }).record;
  }

  /** Returns records after a place, oldest first; without a place, only the place after the newest. */
  async since(filter: RecordFilter, place: number | undefined): Promise<NewRecords> {
    return (await this.#ask({ kind: "since", filter, place })) as NewRecords;
  }

  /** Returns how many of the newest refusals each policy decided, those of most refusals first. */
  async refusals(): Promise<readonly PolicyRefusals[]> {
    return (await this.#ask({ kind: "refusals" })) as readonly PolicyRefusals[];
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#fail(new AuthorizerError("unavailable", "the service stops"));
  }

  async #ask(question: IndexQuestion): Promise<IndexAnswer> {
    if (this.#waiting.size >= MOST_WAITING) {
      throw new AuthorizerError("unavailable", "too many questions about records wait", {
        retryAfterSeconds: 1,
      });
    }
    await this.#options.flush().catch(() => undefined);
    const worker = this.#start();
    const number = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      worker.postMessage({ number, question });
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { directory, node, worker: number, records = "decisions" } = this.#options;
    const file = new URL(`./index-worker${extname(import.meta.filename)}`, import.meta.url);
    const worker = new Worker(file, {
      workerData: { directory, node, worker: number, records } satisfies IndexedChains,
    });
    worker.unref();
    worker.on("message", (message: IndexMessage) => this.#receive(message));
    worker.on("error", (error) => this.#ended(worker, error));
    worker.on("exit", () => this.#ended(worker, new Error("the thread ended")));
    this.#worker = worker;
    return worker;
  }

  #receive({ number, answer, error }: IndexMessage): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (answer !== undefined) waiting?.resolve(answer);
    else waiting?.reject(unanswered(error));
  }

  #ended(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#fail(unanswered(error.message));
  }

  #fail(error: AuthorizerError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function unanswered(reason: string | undefined): AuthorizerError {
  const cause = new Error(reason ?? "unknown");
  return new AuthorizerError("unavailable", "the index of the decision log cannot be asked", { cause });
}
