/** The rate of mails (`email.limit_every_duration`, `email.burst`): a token bucket, full at the start. */

/** The rate limit of mails. */
export interface MailRate {
  /** Mails at once before the limit applies. With 0 no mail is sent. */
  readonly burst: number;
  /** Milliseconds after which one more mail is allowed; 0 is no limit. */
  readonly everyMs: number;
}

/** Applies a rate limit to mails. */
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

  /** Milliseconds until a mail may be sent: 0 is now, infinity is never. */
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

  /** Undoes {@link take} for a mail that no server accepted. */
  giveBack(): void {
    if (this.#rate.everyMs > 0) this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }

  #fill(): void {
    const now = this.#now();
    // A clock that is set back must not remove tokens.
    const passed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + passed / this.#rate.everyMs);
    this.#filledAt = now;
  }
}
