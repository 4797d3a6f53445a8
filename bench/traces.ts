/** The cost of traces: the same load on services that trace nothing, one request in a hundred, and every request. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { benchDataset, bodiesFor, serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import {
  CONNECTIONS,
  type Measured,
  measureLoad,
  ROUNDS,
  Rounds,
  SECONDS,
  WARM_UP_SECONDS,
} from "./compare.ts";
import type { LoadResult } from "./load.ts";
import { runLoad } from "./processes.ts";

const SIZE = 1_000;

/** One row: the rate with traces, and its share of the rate without them. */
interface TracesRow extends Omit<LoadResult, "answers"> {
  readonly name: string;
  readonly share: number;
  /** Microseconds of processor time for each request. */
  readonly cpu: number;
}

/** Measures all variants in turn, round after round, against a collector that takes everything. */
export async function measureTraces(log: (text: string) => void): Promise<TracesRow[]> {
  const collector = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const sampled = (share: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: share,
  });
  const variants = [
    ["no traces", {}],
    ["1 % of the requests", sampled("0.01")],
    ["every request", sampled("1")],
  ] as const;
  const dataset = write("bench-traces.json", JSON.stringify(benchDataset()));
  const { evaluation } = bodiesFor(SIZE);
  const results = new Rounds();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, env] of variants) {
      const server = await startAuthorizer(dataset, { env });
      const job = {
        url: serviceUrl(server),
        path: "/access/v1/evaluation",
        token,
        bodies: evaluation,
        connections: CONNECTIONS,
        expect: '"decision":true',
      };
      await runLoad({ ...job, seconds: WARM_UP_SECONDS });
      const result = await measureLoad({ server, job: { ...job, seconds: SECONDS } });
      log(results.add(name, result));
      await server.stop();
    }
  }
  collector.close();
  const of = (name: string, field: keyof Measured): number => results.median(name, field);
  return variants.map(([name]) => {
    const [perSecond, p50, p99] = [of(name, "perSecond"), of(name, "p50"), of(name, "p99")];
    const cpu = of(name, "cpu");
    return { name, perSecond, p50, p99, cpu, share: perSecond / of("no traces", "perSecond") };
  });
}
