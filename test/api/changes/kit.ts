/** The service listener with the API of changes over a directory in memory, and readers of its streams. */

import { positionText } from "@svc-authorizer/policy/model/position.ts";
import type { ChangeOptions } from "../../../src/api/changes/routes.ts";
import { changeLog } from "../../../src/compose/store/change-log.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import type { BearerOptions } from "../../../src/listeners/bearer.ts";
import type { Store } from "../../../src/store/port.ts";
import { startService, type TestService } from "../../http/service-kit.ts";

/** Tokens; those named by a scope hold it. */
export const TOKENS = {
  read: "a-token-with-scope-read-for-tests-only-0001",
  other: "another-token-with-scope-read-for-tests-01",
  replicate: "a-token-with-scope-replicate-for-tests-0001",
  otherReplicate: "another-token-with-scope-replicate-tests-01",
} as const;

export const BEARER: BearerOptions = {
  tokens: [
    { name: "reader", token: TOKENS.read, scopes: ["read"] },
    { name: "other reader", token: TOKENS.other, scopes: ["read"] },
    { name: "replica", token: TOKENS.replicate, scopes: ["replicate"] },
    { name: "other replica", token: TOKENS.otherReplicate, scopes: ["replicate"] },
  ],
};

/** Starts a listener on a free port; its answers name revisions. */
export function startChanges(
  options: Partial<Omit<ChangeOptions, "log" | "records">> = {},
): Promise<TestService> {
  return startService({
    filled: false,
    bearer: BEARER,
    more: ({ store, revisions }) => ({
      revisions,
      changes: {
        log: changeLog({ store, journal: undefined }),
        records: new ReplicaRecords(store),
        decisions: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
        ...options,
      },
    }),
  });
}

/** `N.LOG.ENTRY` of an entry of a store. */
export async function positionAt(store: Store, revision: number): Promise<string> {
  return positionText(revision, store.logId, await store.history.idOf(revision));
}

/** The blocks of a stream that end with a text: what was received so far, and what comes. */
export class StreamReader {
  readonly #blocks: string[] = [];
  readonly #gone = new AbortController();
  #wake = (): void => {};
  ended = false;

  private constructor(answer: Response, end: string) {
    void this.#read(answer, end);
  }

  /** Opens a stream; `end` is the text between two blocks. */
  static async open(
    url: string,
    token: string,
    end: string,
    headers: Record<string, string> = {},
  ): Promise<{ readonly answer: Response; readonly reader: StreamReader }> {
    const gone = new AbortController();
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: gone.signal,
    });
    const reader = new StreamReader(answer, end);
    reader.#gone.signal.addEventListener("abort", () => gone.abort());
    return { answer, reader };
  }

  /** The next block. */
  async next(): Promise<string> {
    while (this.#blocks.length === 0) {
      if (this.ended) throw new Error("the stream has ended");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#blocks.shift()!;
  }

  /** Resolves when the server has ended the stream. */
  async end(): Promise<void> {
    while (!this.ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#gone.abort();
  }

  async #read(answer: Response, end: string): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const piece of answer.body ?? []) {
        const blocks = (rest + decoder.decode(piece, { stream: true })).split(end);
        rest = blocks.pop() ?? "";
        this.#blocks.push(...blocks);
        this.#wake();
      }
    } catch {
      // Cut by either side.
    }
    this.ended = true;
    this.#wake();
  }
}
