/** Joins the questions of one tick into one `POST /access/v1/evaluations`. */

import { EVALUATION, hasForm } from "./answer-forms.ts";
import { ClientError } from "./client-error.ts";
import type { Evaluation, EvaluationResult } from "./questions.ts";
import type { Transport } from "./transport.ts";

/** The answer to one question. */
export interface BatchAnswer {
  readonly allowed: boolean;
  /** `N.LOG.ENTRY` of the state that it was made from or an earlier one, where the service says it. */
  readonly position: string | undefined;
}

interface Waiting {
  readonly question: Evaluation;
  readonly resolve: (answer: BatchAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** The service takes 1,000 by default. Smaller requests keep its answers short and its loop free. */
const LARGEST_BATCH = 250;

/** Questions that wait for the end of the tick. */
export class EvaluationBatches {
  readonly #transport: Transport;
  #waiting: Waiting[] = [];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Asks with the others of this tick. The signal ends the wait of this caller alone.
   * @throws ClientError; the signal's reason
   */
  ask(question: Evaluation, signal?: AbortSignal): Promise<BatchAnswer> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => queueMicrotask(() => this.#flush()));
      if (signal === undefined) {
        this.#waiting.push({ question, resolve, reject });
        return;
      }
      // A signal may outlive its question by far: it must not keep what was answered.
      const abort = (): void => reject(signal.reason);
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          signal.removeEventListener("abort", abort);
          settle(value);
        };
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push({ question, resolve: settled(resolve), reject: settled(reject) });
    });
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < all.length; start += LARGEST_BATCH) {
      const batch = all.slice(start, start + LARGEST_BATCH);
      this.#send(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    const isSingle = batch.length === 1 && first !== undefined;
    const path = isSingle ? "/access/v1/evaluation" : "/access/v1/evaluations";
    const body = isSingle ? first.question : { evaluations: batch.map(({ question }) => question) };
    const answer = await this.#transport.post<unknown>(path, body);
    const results = isSingle ? [answer.body] : resultsOf(answer.body, batch.length);
    for (const [index, { resolve, reject }] of batch.entries()) {
      if (!hasForm(results[index], EVALUATION)) {
        reject(misfit());
        continue;
      }
      const result = results[index] as EvaluationResult;
      const failure = result.context?.error;
      if (failure !== undefined) reject(new ClientError(failure.status, failure.message));
      else resolve({ allowed: result.decision === true, position: answer.revision?.position });
    }
  }
}

/** The results of a batch; an answer of another length answers nobody. */
function resultsOf(body: unknown, length: number): readonly unknown[] {
  const results = (body as { readonly evaluations?: unknown } | null)?.evaluations;
  if (Array.isArray(results) && results.length === length) return results;
  throw misfit();
}

function misfit(): ClientError {
  return new ClientError(200, "the answer does not fit the questions", [], { code: "unreadable" });
}
