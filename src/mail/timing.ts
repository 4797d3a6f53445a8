/** Durations of the mail queue. They are not configurable; tests use shorter ones. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Durations in milliseconds. */
export interface MailTiming {
  /** Time from queueing a mail to the first look-up of its user, who is created meanwhile. */
  readonly firstLookMs: number;
  /** Longest wait for the user before a mail is dropped. */
  readonly userWaitMs: number;
  /** Time from queueing to the expiry of the invitation. */
  readonly invitationMs: number;
  /** Time from queueing to the expiry of a link that sets a new password. */
  readonly resetMs: number;
  /** Wait after the first failed attempt; each further one doubles it, up to `maxRetryMs`. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** Longest pause of the whole queue after the mail server itself failed. */
  readonly maxPauseMs: number;
  /** A mail fails for good after this many attempts. */
  readonly maxAttempts: number;
  readonly maxAgeMs: number;
  /** Longest attempt. */
  readonly sendMs: number;
  /**
   * Time for which an attempt keeps other processes from sending the same mail. After a crash, the next attempt follows
   * it.
   */
  readonly leaseMs: number;
  /** Longest wait for a running attempt when closing. */
  readonly closeMs: number;
  /** Longest time between two looks into the queue, for mails that other processes left. */
  readonly idleMs: number;
  /** Time for which records of failed mails and of expired invitations are kept. */
  readonly keptMs: number;
  /** Time between two removals of expired records. */
  readonly purgeEveryMs: number;
}

/** The durations of a service. */
export const MAIL_TIMING: MailTiming = {
  firstLookMs: 100,
  userWaitMs: 10 * MINUTE,
  invitationMs: 7 * DAY,
  resetMs: HOUR,
  firstRetryMs: 5 * SECOND,
  maxRetryMs: HOUR,
  maxPauseMs: 5 * MINUTE,
  maxAttempts: 50,
  maxAgeMs: 2 * DAY,
  sendMs: MINUTE,
  leaseMs: 2 * MINUTE,
  closeMs: 5 * SECOND,
  idleMs: 30 * SECOND,
  keptMs: 30 * DAY,
  purgeEveryMs: 6 * HOUR,
};

/** The wait after a number of consecutive failures (≥ 1): doubled each time, bounded, with 10 % of jitter. */
export function backoff(timing: MailTiming, failures: number, maxMs: number): number {
  const full = Math.min(timing.firstRetryMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return full * (1 - Math.random() / 10);
}
