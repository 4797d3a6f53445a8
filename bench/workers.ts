/** `/evaluation` with two workers beside two workers of bare node:cluster: same cores, same client, same run. */
import { join } from "node:path";
import { benchDataset, bodiesFor, folder, serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import { CONNECTIONS, type Compared, compare, SECONDS } from "./compare.ts";
import type { LoadJob } from "./load.ts";
import { onAllCores, startServer } from "./processes.ts";

/** One row of the table. */
interface WorkerRow extends Compared {
  readonly name: string;
}

const WORKERS = 2;

/** Measures both, round after round. Servers and client run on all cores. */
export function measureWorkers(log: (text: string) => void): Promise<readonly WorkerRow[]> {
  return onAllCores(async () => {
    const script = new URL("./servers/bare-cluster.ts", import.meta.url).pathname;
    const bare = await startServer([script, String(WORKERS)]);
    const authorizer = await startAuthorizer(write("workers.json", JSON.stringify(benchDataset())), {
      database: { type: "local", local: { path: join(folder, "workers") } },
      workers: WORKERS,
    });
    try {
      const rows: WorkerRow[] = [];
      for (const size of [10, 1000]) {
        const { evaluation } = bodiesFor(size);
        const job = (url: string, path: string, expect: string): LoadJob => ({
          ...{ url, path, token, expect },
          bodies: evaluation,
          connections: CONNECTIONS,
          seconds: SECONDS,
        });
        const compared = await compare({
          bare: { server: bare, job: job(bare.line.split(" ")[1] as string, "/", "true") },
          own: {
            server: authorizer,
            job: job(serviceUrl(authorizer), "/access/v1/evaluation", '"decision":true'),
          },
        });
        const name = `/evaluation, ${size.toLocaleString("en")} statements`;
        log(`${name}: ${Math.round(compared.perSecond)}/s, ${compared.ofBare.toFixed(2)} of bare`);
        rows.push({ name, ...compared });
      }
      return rows;
    } finally {
      await Promise.all([bare.stop(), authorizer.stop()]);
    }
  });
}
