/** A histogram for hot paths: observing is a few comparisons and additions, without labels, maps or allocation. */

import type { DurationMeter } from "../../../http/ports.ts";

/** Upper bounds for decisions in this process: 10 µs to 1 s. */
export const DECISION_BOUNDS: readonly number[] = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];

/** Upper bounds for requests and store operations: 100 µs to 10 s. */
export const REQUEST_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Counts observations in buckets with fixed upper bounds (inclusive), as Prometheus defines histograms. */
export class FastHistogram implements DurationMeter {
  readonly #bounds: readonly number[];
  /** Per bucket, not cumulated; the last one has no bound. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds ascending upper bounds in seconds, without infinity */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    if (!Number.isFinite(seconds)) return;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  /** Number of observations. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Their sum in seconds. */
  get sum(): number {
    return this.#sum;
  }

  /** The upper bounds with the number of observations up to each; that of infinity is {@link FastHistogram.count}. */
  buckets(): readonly (readonly [bound: number, cumulated: number])[] {
    let cumulated = 0;
    return this.#bounds.map((bound, bucket) => {
      cumulated += this.#counts[bucket] as number;
      return [bound, cumulated];
    });
  }
}
