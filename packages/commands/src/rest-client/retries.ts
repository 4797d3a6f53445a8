/** Sends a request again when another try can help, whatever its method (spec/management-cli §1). */

import { setTimeout as wait } from "node:timers/promises";
import pRetry from "p-retry";
import { safeMessage, safeText } from "../safe-text.ts";
import { type ApiAnswer, attempt } from "./attempt.ts";
import type { ApiRequest } from "./http-request.ts";
import { TransportFailure } from "./transport-failure.ts";

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
  /** False where the request did not reach the server, or was turned away unread. */
  readonly mayHaveArrived: boolean;
}

/** An answer that asks for another try. */
export class RetriedAnswer extends Error {
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
export function sendWithRetries(
  request: ApiRequest,
  settings: RetrySettings,
  onFailedTry: (failed: FailedAttempt) => void,
): Promise<ApiAnswer> {
  return withRetries(request, settings, onFailedTry, async () => {
    const answer = await attempt(request);
    if (asksForAnotherTry(answer.status, settings)) throw new RetriedAnswer(answer);
    return answer;
  });
}

/** True for a status that the settings say to try again. */
export function asksForAnotherTry(status: number, settings: RetrySettings): boolean {
  const { statuses = RETRIED } = settings;
  return settings.enabled && settings.maxAttempts > 0 && statuses.has(status);
}

/**
 * Makes tries of a request until one succeeds, or fails with anything but {@link RetriedAnswer} and a temporary
 * {@link TransportFailure}.
 * @param request named in the message of the failure
 * @param signal ends the waiting between tries
 * @throws RetriesExhausted as {@link sendWithRetries}; errors of other classes as they are
 */
export async function withRetries<T>(
  request: Pick<ApiRequest, "method" | "url">,
  settings: RetrySettings,
  onFailedTry: (failed: FailedAttempt) => void,
  tryOnce: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const retries = settings.enabled ? settings.maxAttempts : 0;
  try {
    return await pRetry(tryOnce, {
      retries,
      factor: 2,
      minTimeout: settings.minWaitMs,
      maxTimeout: Math.max(settings.minWaitMs, settings.maxWaitMs),
      shouldRetry: ({ error }) => isWorthRetrying(error),
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft, retryDelay }) => {
        if (retriesLeft === 0 || !isWorthRetrying(error)) return;
        const asked = Math.min(askedWait(error), settings.maxWaitMs);
        const waitMs = Math.max(retryDelay, asked);
        onFailedTry({
          reason: error.message,
          waitMs,
          attempt: attemptNumber,
          attempts: retries + 1,
          mayHaveArrived: mayHaveArrived(error),
        });
        await wait(waitMs - retryDelay, undefined, signal === undefined ? {} : { signal });
      },
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (error instanceof RetriedAnswer || error instanceof TransportFailure) {
      throw gaveUp(request, error, retries);
    }
    throw error;
  }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof RetriedAnswer || (error instanceof TransportFailure && error.temporary);
}

const TOO_MANY_REQUESTS = 429;

/** True where the server may have done what a failed call asked for. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof RetriesExhausted) return mayHaveArrived(error.cause);
  if (error instanceof RetriedAnswer) return error.answer.status !== TOO_MANY_REQUESTS;
  return error instanceof TransportFailure && error.mayHaveArrived;
}

function askedWait(error: unknown): number {
  return error instanceof RetriedAnswer ? (error.answer.retryAfterMs ?? 0) : 0;
}

/** The message of spec/management-cli §1, with the server's own text behind it. */
function gaveUp(
  { method, url }: Pick<ApiRequest, "method" | "url">,
  error: unknown,
  retries: number,
): RetriesExhausted {
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
