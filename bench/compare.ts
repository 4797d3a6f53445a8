/** A server side by side with bare `node:http`, round after round, so that a disturbance hits both alike. */
import type { LoadJob, LoadResult } from "./load.ts";
import { runLoad, type StartedServer } from "./processes.ts";

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

/** A load, and the server that it is for. */
interface Contender {
  readonly server: Pick<StartedServer, "cpu">;
  readonly job: LoadJob;
}

/** The result of a load, with the server's share in it. */
export interface Measured extends LoadResult {
  /** Microseconds of the server's processor time for each request. */
  readonly cpu: number;
}

/** Runs a load. */
export async function measureLoad({ server, job }: Contender): Promise<Measured> {
  let before = server.cpu();
  const result = await runLoad(job, () => {
    before = server.cpu();
  });
  return { ...result, cpu: ((server.cpu() - before) * 1e6) / result.answers };
}

/** The results of loads by name, round after round. */
export class Rounds {
  readonly #results = new Map<string, Measured[]>();

  /** Adds the result of a round, and returns it as a line of text. */
  add(name: string, result: Measured): string {
    const results = this.#results.get(name) ?? [];
    this.#results.set(name, results);
    results.push(result);
    const rate = Math.round(result.perSecond).toLocaleString("en");
    return `${name}: ${rate}/s, ${result.cpu.toFixed(1)} µs each`;
  }

  /** The median of a field over the rounds. */
  median(name: string, field: keyof Measured): number {
    return median((this.#results.get(name) ?? []).map((result) => result[field]));
  }
}

/** The result of a load, medians over the rounds. */
export interface Compared extends Omit<Measured, "answers"> {
  /** Share of the rate of the yardstick in the same round. */
  readonly ofBare: number;
  /**
   * Processor time of the yardstick for a request, divided by the server's own. That is the share of the rate while
   * the server keeps its core busy; what else runs on the machine changes it less than the rate.
   */
  readonly cpuOfBare: number;
}

/** Medians of the results of several rounds, with those of the yardstick in the same rounds. */
export function medians(own: readonly Measured[], bare: readonly Measured[]): Compared {
  return {
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    p50: median(own.map(({ p50 }) => p50)),
    p99: median(own.map(({ p99 }) => p99)),
    cpu: median(own.map(({ cpu }) => cpu)),
    ofBare: median(own.map(({ perSecond }, round) => perSecond / (bare[round] as Measured).perSecond)),
    cpuOfBare: median(own.map(({ cpu }, round) => (bare[round] as Measured).cpu / cpu)),
  };
}

/**
 * Runs a load on the yardstick and on a server in turn; which is first changes from round to round.
 * @param rounds how often; more, shorter rounds tell a small difference apart from a machine whose clock changes
 */
export async function compare(
  both: { readonly bare: Contender; readonly own: Contender },
  rounds = ROUNDS,
): Promise<Compared> {
  for (const { job } of [both.bare, both.own]) await runLoad({ ...job, seconds: WARM_UP_SECONDS });
  const bare: Measured[] = [];
  const own: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = async (): Promise<unknown> => bare.push(await measureLoad(both.bare));
    const second = async (): Promise<unknown> => own.push(await measureLoad(both.own));
    for (const run of round % 2 === 0 ? [first, second] : [second, first]) await run();
  }
  return medians(own, bare);
}
