/** The rule by which a call is repeated. Every call of the decision API only reads, so repeating one changes nothing. */

import { FORGET_AT } from "@svc-authorizer/policy/revision.ts";
import type { ClientError } from "./client-error.ts";

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
const MS = 1_000;
/** Longest time of a timer: one that is to ring later rings at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Codes of failures that a second attempt may mend; after those of {@link FORGET_AT} it asks without a revision. */
const MENDABLE: ReadonlySet<unknown> = new Set(["unreachable", "unavailable", "behind", ...FORGET_AT]);

/** True for failures that a second attempt may mend. */
export function mayRetry(error: ClientError): boolean {
  return MENDABLE.has(error.code);
}

/**
 * Milliseconds until the next attempt: what the service asked for, else twice as long each time, up to 2 s. A random
 * part keeps many clients from coming back at the same moment.
 * @param attempt 0 after the first failure
 */
export function waitBefore(attempt: number, error: ClientError, random: () => number = Math.random): number {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * MS * (1 + random() / 10);
  // The service is there, and asking without a revision is another question: no earlier failure counts.
  const failed = FORGET_AT.has(error.code) ? 0 : attempt;
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failed);
  return longest / 2 + (random() * longest) / 2;
}

/** Ends after the given time, or fails with the signal's reason. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", abort);
        resolve();
      },
      Math.min(milliseconds, LONGEST_TIMER_MS),
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
