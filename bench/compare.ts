/** A server side by side with bare `node:http`, round after round, so that a disturbance hits both alike. */
import type { LoadJob, LoadResult } from "./load.ts";
import { runLoad } from "./processes.ts";

/** Connections of a load, each with one request under way. */
export const CONNECTIONS = 32;
/** Rounds, and seconds of each load in a round. */
export const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
export const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 2);
export const WARM_UP_SECONDS = 1.5;

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

/** The result of a load, medians over the rounds. */
export interface Compared extends Omit<LoadResult, "answers"> {
  /** Share of the rate of the yardstick in the same round. */
  readonly ofBare: number;
}

/** Medians of the results of several rounds, with those of the yardstick in the same rounds. */
export function medians(own: readonly LoadResult[], bare: readonly LoadResult[]): Compared {
  return {
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    p50: median(own.map(({ p50 }) => p50)),
    p99: median(own.map(({ p99 }) => p99)),
    ofBare: median(own.map(({ perSecond }, round) => perSecond / (bare[round] as LoadResult).perSecond)),
  };
}

/** Runs a load on the yardstick and on a server in turn. */
export async function compare(jobs: { readonly bare: LoadJob; readonly own: LoadJob }): Promise<Compared> {
  for (const job of [jobs.bare, jobs.own]) await runLoad({ ...job, seconds: WARM_UP_SECONDS });
  const bare: LoadResult[] = [];
  const own: LoadResult[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await runLoad(jobs.bare));
    own.push(await runLoad(jobs.own));
  }
  return medians(own, bare);
}
