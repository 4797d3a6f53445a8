/**
 * The delay of answers by a shadow candidate (spec/decision-log §4.2): the same load on two services in turn, of which one
 * decides everything again under a candidate of the same size.
 */
import { benchDataset, bodiesFor, serviceUrl, startAuthorizer, token, urlsOf, write } from "./authorizer.ts";
import { CONNECTIONS, median, ROUNDS, SECONDS, WARM_UP_SECONDS } from "./compare.ts";
import type { LoadResult } from "./load.ts";
import { runLoad, type StartedServer } from "./processes.ts";

const SIZE = 1_000;
/** Milliseconds that a shadow may delay an answer by. */
const WANTED_MS = 1;

type Times = Pick<LoadResult, "p50" | "p99">;

/** One row: times of answers without and with a shadow, medians over the rounds. */
interface ShadowRow {
  readonly name: string;
  readonly without: Times;
  readonly shadowed: Times;
  /** Median of the differences between the p99 of the two loads of a round, in milliseconds. */
  readonly delay: number;
  readonly wanted: number;
  /** Share of the answered decisions that were made again. */
  readonly again: number;
}

/** Measures both services round after round. */
export async function measureShadow(log: (text: string) => void): Promise<ShadowRow[]> {
  const dataset = write("bench-shadow.json", JSON.stringify(benchDataset()));
  const bodies = bodiesFor(SIZE);
  const bare = await startAuthorizer(dataset);
  const shadowing = await startAuthorizer(dataset, {
    flags: [`--authorizer.shadow.candidate=${dataset}`, "--authorizer.shadow.share=1"],
  });
  const questions = [
    ["/evaluation, 1 connection", "/access/v1/evaluation", bodies.evaluation, 1, 1],
    ["/evaluation, 4 connections", "/access/v1/evaluation", bodies.evaluation, 4, 1],
    [`/evaluation, ${CONNECTIONS} connections`, "/access/v1/evaluation", bodies.evaluation, CONNECTIONS, 1],
    ["/evaluations × 1,000, 1 connection", "/access/v1/evaluations", bodies.evaluations, 1, 1_000],
  ] as const;
  const rows: ShadowRow[] = [];
  for (const [name, path, file, connections, decisions] of questions) {
    const load = (server: StartedServer, seconds: number) => {
      const job = { path, token, bodies: file, connections, expect: '"decision":true' };
      return runLoad({ ...job, url: serviceUrl(server), seconds });
    };
    for (const server of [bare, shadowing]) await load(server, WARM_UP_SECONDS);
    const without: LoadResult[] = [];
    const shadowed: LoadResult[] = [];
    const before = await decidedAgain(shadowing);
    let answered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await load(bare, SECONDS));
      const result = await load(shadowing, SECONDS);
      shadowed.push(result);
      answered += result.answers * decisions;
    }
    const delay = median(shadowed.map(({ p99 }, round) => p99 - (without[round] as LoadResult).p99));
    log(`${name}: p99 later by ${delay.toFixed(2)} ms with a shadow`);
    rows.push({
      name,
      without: middle(without),
      shadowed: middle(shadowed),
      delay,
      wanted: WANTED_MS,
      again: ((await decidedAgain(shadowing)) - before) / answered,
    });
  }
  await bare.stop();
  await shadowing.stop();
  return rows;
}

function middle(results: readonly Times[]): Times {
  return { p50: median(results.map(({ p50 }) => p50)), p99: median(results.map(({ p99 }) => p99)) };
}

/** The number of decisions that were made again until now. */
async function decidedAgain(server: StartedServer): Promise<number> {
  const metrics = await (await fetch(`${urlsOf(server).metrics}/metrics`)).text();
  return Number(/^svc_authorizer_shadow_decisions_total (\d+)$/m.exec(metrics)?.[1]);
}
