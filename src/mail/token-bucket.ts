/** The rate of mails (`email.limit_every_duration`, `email.burst`): a token bucket, full at the start. */

/** How often mails may be sent. */
export interface MailRate {
  /** Mails at once before the limit applies; at 0 none is sent. */
  readonly burst: number;
  /** Milliseconds in which one more mail is allowed; 0: no limit. */
  readonly everyMs: number;
}

/** Counts mails against a rate. */
export class TokenBucket {
  readonly #rate: MailRate;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param now milliseconds */
  constructor(rate: MailRate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
    this.#tokens = rate.burst;
    this.#filledAt = now();
  }

  /** Milliseconds until a mail may be sent: 0 now, infinite never. */
  waitMs(): number {
    if (this.#rate.burst <= 0) return Number.POSITIVE_INFINITY;
    if (this.#rate.everyMs === 0) return 0;
    this.#fill();
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) * this.#rate.everyMs;
  }

  /** Counts a mail. */
  take(): void {
    if (this.#rate.everyMs === 0) return;
    this.#fill();
    this.#tokens -= 1;
  }

  /** Takes back what was counted for a mail that no server took. */
  giveBack(): void {
    if (this.#rate.everyMs > 0) this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }

  #fill(): void {
    const now = this.#now();
    // A clock set back must not take what is there.
    const passed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + passed / this.#rate.everyMs);
    this.#filledAt = now;
  }
}
