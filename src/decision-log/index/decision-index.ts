/** Questions about the records of a node and all its processes (spec/decision-log §3). A thread answers them. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { BoundedThread, GIVEN_UP } from "../../threads/bounded-thread.ts";
import type { IndexAnswer, IndexedChains, IndexQuestion, IndexResult } from "./index-worker.ts";
import type {
  NewRecords,
  PolicyRefusals,
  RecordFilter,
  RecordPage,
  RecordPageRequest,
} from "./record-filter.ts";

/** The chains to be asked. */
interface DecisionIndexOptions extends Omit<IndexedChains, "records"> {
  /** The kind of the records; default decisions. */
  readonly records?: IndexedChains["records"];
  /** Brings what was recorded so far into the files. */
  readonly flush: () => Promise<void>;
  /** Number of records that are in no file after that, for want of room. */
  readonly unwritten: () => number;
}

/** Asks the index. The thread starts with the first question. */
export class DecisionIndex {
  readonly #flush: () => Promise<void>;
  readonly #unwritten: () => number;
  readonly #thread: BoundedThread<IndexQuestion, IndexResult>;
  #count = 0;

  constructor({ directory, node, worker, records = "decisions", flush, unwritten }: DecisionIndexOptions) {
    this.#flush = flush;
    this.#unwritten = unwritten;
    this.#thread = new BoundedThread({
      name: `index of ${records}`,
      file: new URL("./index-worker", import.meta.url),
      data: { directory, node, worker, records } satisfies IndexedChains,
      busy: "too many questions about records wait",
    });
  }

  /** Returns records, newest first. Rejects with AuthorizerError "unavailable". */
  async page(filter: RecordFilter, page: RecordPageRequest): Promise<RecordPage> {
    const found = (await this.#ask({ kind: "page", filter, page })) as RecordPage;
    const { until } = filter;
    // What waits for room now is of the present.
    const isNow = until === undefined || Date.parse(until) > Date.now();
    return isNow ? { ...found, lost: found.lost + this.#unwritten() } : found;
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

  /** Ends the thread and refuses the questions that wait. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask(question: IndexQuestion): Promise<IndexAnswer> {
    await this.#flush().catch(() => undefined);
    // Each reads what was recorded meanwhile, however much that is, and has a turn of its own.
    const result = await this.#thread.run(String(++this.#count), question).catch((error: unknown) => {
      throw error instanceof AuthorizerError ? error : unanswered(String(error));
    });
    if (result === GIVEN_UP) throw unanswered("there is not enough memory");
    if ("error" in result) throw unanswered(result.error);
    return result.answer;
  }
}

function unanswered(reason: string): AuthorizerError {
  const cause = new Error(reason);
  return new AuthorizerError("unavailable", "the index of the decision log cannot be asked", { cause });
}
