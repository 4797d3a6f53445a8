/** Sends a request again when another try can help, whatever its method (management-cli.md §1). */

import { setTimeout as wait } from "node:timers/promises";
import pRetry from "p-retry";
import { safeMessage, safeText } from "../safe-text.ts";
import { type ApiAnswer, type ApiRequest, attempt, TransportFailure } from "./attempt.ts";

/** Statuses that ask for another try unless the settings name others. */
const RETRIED: ReadonlySet<number> = new Set([429, 500, 503]);

/** Limits of repeated attempts. */
export interface RetrySettings {
  readonly enabled: boolean;
  /** Tries after the first one. */
  readonly maxAttempts: number;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  /** Statuses that are tried again; default 429, 500 and 503. */
  readonly statuses?: ReadonlySet<number>;
}

/** A try that failed, with another one to come. */
export interface FailedAttempt {
  /** The reason, for people. */
  readonly reason: string;
  /** Time until the next attempt. */
  readonly waitMs: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly attempts: number;
}

/** An answer that asks for another try. */
class RetriedAnswer extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(answer.statusLine);
    this.answer = answer;
  }
}

/** No try settled the request. */
export class RetriesExhausted extends Error {
  override readonly name = "RetriesExhausted";
  /** The reason why the last attempt failed, for people. */
  readonly reason: string;
  /** The answer to the last attempt; undefined if there was none. */
  readonly answer: ApiAnswer | undefined;

  constructor(message: string, cause: unknown, reason: string) {
    super(message, { cause });
    this.reason = reason;
    this.answer = cause instanceof RetriedAnswer ? cause.answer : undefined;
  }
}

/**
 * Sends a request until there is an answer that settles it.
 * @throws RetriesExhausted `Get "URL": GET URL giving up after 5 attempt(s)` with what the last try met
 */
export async function sendWithRetries(
  request: ApiRequest,
  settings: RetrySettings,
  onFailedTry: (failed: FailedAttempt) => void,
): Promise<ApiAnswer> {
  const retries = settings.enabled ? settings.maxAttempts : 0;
  const { statuses = RETRIED } = settings;
  try {
    return await pRetry(
      async () => {
        const answer = await attempt(request);
        if (retries > 0 && statuses.has(answer.status)) throw new RetriedAnswer(answer);
        return answer;
      },
      {
        retries,
        factor: 2,
        minTimeout: settings.minWaitMs,
        maxTimeout: Math.max(settings.minWaitMs, settings.maxWaitMs),
        shouldRetry: ({ error }) => isWorthRetrying(error),
        onFailedAttempt: async ({ error, attemptNumber, retriesLeft, retryDelay }) => {
          if (retriesLeft === 0 || !isWorthRetrying(error)) return;
          const asked = Math.min(askedWait(error), settings.maxWaitMs);
          const waitMs = Math.max(retryDelay, asked);
          onFailedTry({ reason: error.message, waitMs, attempt: attemptNumber, attempts: retries + 1 });
          await wait(waitMs - retryDelay);
        },
      },
    );
  } catch (error) {
    throw gaveUp(request, error, retries);
  }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof RetriedAnswer || (error instanceof TransportFailure && error.temporary);
}

function askedWait(error: unknown): number {
  return error instanceof RetriedAnswer ? (error.answer.retryAfterMs ?? 0) : 0;
}

/** The message of management-cli.md §1, with the server's own text behind it. */
function gaveUp({ method, url }: ApiRequest, error: unknown, retries: number): RetriesExhausted {
  const verb = method[0] + method.slice(1).toLowerCase();
  const reason = error instanceof RetriedAnswer ? answerText(error.answer) : (error as Error).message;
  const tries =
    retries > 0 && isWorthRetrying(error) ? `${method} ${url} giving up after ${retries + 1} attempt(s)` : "";
  const message = [`${verb} "${url}"`, tries, reason].filter((part) => part !== "").join(": ");
  return new RetriesExhausted(message, error, reason);
}

function answerText({ json, statusLine }: ApiAnswer): string {
  const { message } = (json ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== ""
    ? `${safeMessage(message)} (${safeText(statusLine)})`
    : "";
}
