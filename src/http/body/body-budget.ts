/** The memory of all request bodies that have not arrived whole (spec/security §5.3). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** So many bodies are put in order at most once in a while: one large piece may end hundreds of them. */
const MANY = 500;
/** Milliseconds for which the order of many bodies is used. */
const ORDER_MS = 10;

/** A body that is arriving. */
export interface ArrivingBody {
  /** Milliseconds of `performance.now()`: when the request began. */
  readonly startedAt: number;
  /** Bytes that have arrived. */
  readonly received: number;
  /** Ends the request with an error; the body holds nothing afterwards. */
  giveWay(error: AuthorizerError): void;
}

/**
 * One budget for all bodies under way. Where it is used up, the body that arrives most slowly gives way, so that
 * callers who send slowly on purpose lose their places to those who do not.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #gauge: { bodyBytes: number };
  readonly #held: Map<ArrivingBody, number> = new Map();
  #bytes = 0;
  /** Many bodies, those that arrive most slowly last. */
  #order: ArrivingBody[] = [];
  #orderedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param maxBytes bytes that all bodies under way may hold together
   * @param gauge a number to keep up to date, for metrics
   */
  constructor(maxBytes: number, gauge: { bodyBytes: number } = { bodyBytes: 0 }) {
    this.#maxBytes = maxBytes;
    this.#gauge = gauge;
  }

  /** Notes that a body now holds `bytes` in all. May end this body, or slower ones, through `giveWay`. */
  hold(body: ArrivingBody, bytes: number): void {
    this.#add(bytes - (this.#held.get(body) ?? 0));
    this.#held.set(body, bytes);
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#slowest();
      if (slowest === undefined) return;
      this.release(slowest);
      slowest.giveWay(
        new AuthorizerError(
          "unavailable",
          "too many request bodies at once, and this one arrived most slowly",
          {
            retryAfterSeconds: 1,
          },
        ),
      );
    }
  }

  /** Gives back what a body holds; no effect for one that holds nothing. */
  release(body: ArrivingBody): void {
    const bytes = this.#held.get(body);
    if (bytes === undefined) return;
    this.#held.delete(body);
    if (this.#held.size <= MANY) this.#order = [];
    this.#add(-bytes);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#gauge.bodyBytes += bytes;
  }

  #slowest(): ArrivingBody | undefined {
    const now = performance.now();
    if (this.#held.size > MANY) return this.#slowestOfMany(now);
    let slowest: ArrivingBody | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const body of this.#held.keys()) {
      const rate = rateOf(body, now);
      if (rate < lowest) [slowest, lowest] = [body, rate];
    }
    return slowest;
  }

  #slowestOfMany(now: number): ArrivingBody | undefined {
    if (now - this.#orderedAt < ORDER_MS) {
      for (let next = this.#order.pop(); next !== undefined; next = this.#order.pop()) {
        if (this.#held.has(next)) return next;
      }
    }
    const rated = [...this.#held.keys()].map((body) => ({ body, rate: rateOf(body, now) }));
    rated.sort((a, b) => b.rate - a.rate);
    this.#order = rated.map(({ body }) => body);
    // To put them in order may take longer than it is used.
    this.#orderedAt = performance.now();
    return this.#order.pop();
  }
}

/** Bytes a millisecond. The added one keeps a body that has only just begun from counting as infinitely fast. */
function rateOf({ received, startedAt }: ArrivingBody, now: number): number {
  return received / (now - startedAt + 1);
}
