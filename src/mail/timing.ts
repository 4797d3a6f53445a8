/** How long things take: not configurable, in one place, and shorter in tests. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Durations in milliseconds. */
export interface MailTiming {
  /** From queueing a mail to looking for its user, who is created meanwhile. */
  readonly firstLookMs: number;
  /** How long a mail waits for its user before it is dropped. */
  readonly userWaitMs: number;
  /** From queueing to the end of the invitation. */
  readonly invitationMs: number;
  /** Wait after the first failed attempt; each further one doubles it, up to `maxRetryMs`. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** Longest pause of all sending after the mail server itself failed. */
  readonly maxPauseMs: number;
  /** A mail is given up after so many attempts, or so long after the first. */
  readonly maxAttempts: number;
  readonly maxAgeMs: number;
  /** Longest attempt. */
  readonly sendMs: number;
  /** For this long an attempt keeps others from sending the same mail; after a crash, the next attempt follows it. */
  readonly leaseMs: number;
  /** How long closing waits for an attempt under way. */
  readonly closeMs: number;
  /** Longest time between two looks into the queue, for mails that other processes left. */
  readonly idleMs: number;
  /** How long the records of mails that were given up stay. */
  readonly failedKeptMs: number;
  /** Between two removals of what has expired. */
  readonly purgeEveryMs: number;
}

/** The durations of a service. */
export const MAIL_TIMING: MailTiming = {
  firstLookMs: 100,
  userWaitMs: 10 * MINUTE,
  invitationMs: 7 * DAY,
  firstRetryMs: 5 * SECOND,
  maxRetryMs: HOUR,
  maxPauseMs: 5 * MINUTE,
  maxAttempts: 50,
  maxAgeMs: 2 * DAY,
  sendMs: MINUTE,
  leaseMs: 2 * MINUTE,
  closeMs: 5 * SECOND,
  idleMs: 30 * SECOND,
  failedKeptMs: 30 * DAY,
  purgeEveryMs: 6 * HOUR,
};

/** The wait after a number of failures in a row (≥ 1): doubled each time, bounded, a tenth of it at random. */
export function backoff(timing: MailTiming, failures: number, maxMs: number): number {
  const full = Math.min(timing.firstRetryMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return full * (1 - Math.random() / 10);
}
