/** The cost of the decision log: the same load on services that record nothing, everything, and everything on disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchDataset, bodiesFor, folder, serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import { CONNECTIONS, measureLoad, ROUNDS, Rounds, SECONDS, WARM_UP_SECONDS } from "./compare.ts";
import { runLoad } from "./processes.ts";

const SIZE = 1_000;

/** One row: the rate with a log, and its share of the rate without one. */
interface DecisionLogRow {
  readonly name: string;
  readonly perSecond: number;
  readonly share: number;
  /** Microseconds of processor time for each request. */
  readonly cpu: number;
  /** Processor time without a log, divided by that with it. */
  readonly cpuShare: number;
}

/** Measures all variants in turn, round after round. */
export async function measureDecisionLog(
  log: (text: string) => void,
  { rounds = ROUNDS, seconds = SECONDS }: { readonly rounds?: number; readonly seconds?: number } = {},
): Promise<DecisionLogRow[]> {
  const dataset = write("bench-log.json", JSON.stringify(benchDataset()));
  const bodies = bodiesFor(SIZE);
  const variants = [
    ["no log", []],
    ["all, sync interval", ["--authorizer.decision_log.include=all"]],
    ["all, sync each", ["--authorizer.decision_log.include=all", "--authorizer.decision_log.sync=each"]],
  ] as const;
  const questions = [
    ["/evaluation", "/access/v1/evaluation", bodies.evaluation, CONNECTIONS],
    ["/evaluations × 1,000", "/access/v1/evaluations", bodies.evaluations, 1],
  ] as const;
  const results = new Rounds();
  for (let round = 0; round < rounds; round++) {
    for (const [variant, flags] of variants) {
      const directory = mkdtempSync(join(folder, "decisions-"));
      const where = flags.length === 0 ? [] : [`--authorizer.decision_log.directory=${directory}`];
      const server = await startAuthorizer(dataset, { flags: [...flags, ...where] });
      for (const [name, path, file, connections] of questions) {
        const job = {
          url: serviceUrl(server),
          path,
          token,
          bodies: file,
          connections,
          expect: '"decision":true',
        };
        await runLoad({ ...job, seconds: WARM_UP_SECONDS });
        const result = await measureLoad({ server, job: { ...job, seconds } });
        log(results.add(`${name}, ${variant}`, result));
      }
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return questions.flatMap(([question]) => {
    const without = `${question}, no log`;
    return variants.map(([variant]) => {
      const name = `${question}, ${variant}`;
      const [perSecond, cpu] = [results.median(name, "perSecond"), results.median(name, "cpu")];
      return {
        name,
        perSecond,
        share: perSecond / results.median(without, "perSecond"),
        cpu,
        cpuShare: results.median(without, "cpu") / cpu,
      };
    });
  });
}
