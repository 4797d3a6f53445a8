/**
 * 1,000 users in 20 groups over HTTP, half of the questions refused, the local store, default items (`auth.cache.ttl`
 * among them), side by side with bare `node:http` that gets the same bodies on the same core.
 */
import { rmSync } from "node:fs";
import { folder, program, SIZES, serviceUrl, token, write } from "./authorizer.ts";
import { askAboutEverybody, coldDataset, localConfig, questionBodies } from "./cold.ts";
import { CONNECTIONS, type Compared, compare, SECONDS } from "./compare.ts";
import type { LoadJob } from "./load.ts";
import { startServer } from "./processes.ts";

/** One row of the table. */
interface ManyUsersRow extends Compared {
  readonly name: string;
}

/** Measures `/evaluation` and `/check` at every size. */
export async function measureManyUsers(log: (text: string) => void): Promise<ManyUsersRow[]> {
  const bare = await startServer([new URL("./servers/bare.ts", import.meta.url).pathname]);
  const rows: ManyUsersRow[] = [];
  for (const size of SIZES) {
    const dataset = write(`many-${size}.json`, JSON.stringify(coldDataset(size)));
    const config = localConfig(`many-${size}`);
    const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", dataset]);
    await askAboutEverybody(server);
    for (const [endpoint, bodies] of Object.entries(questionBodies())) {
      const file = write(`many-${endpoint}-${size}`, bodies);
      const job = (url: string, expect: string): LoadJob => ({
        url,
        path: `/access/v1/${endpoint}`,
        token,
        bodies: file,
        connections: CONNECTIONS,
        seconds: SECONDS,
        expect,
      });
      const own = job(serviceUrl(server), endpoint === "check" ? '"allowed":' : '"decision":');
      const compared = await compare({
        bare: { server: bare, job: job(bare.line.split(" ")[1] as string, "true") },
        own: { server, job: own },
      });
      const row = { name: `/${endpoint}, ${size.toLocaleString("en")} statements`, ...compared };
      log(
        `${row.name}, 1,000 users: ${row.ofBare.toFixed(2)} of bare node:http, ${row.cpuOfBare.toFixed(2)} by CPU time`,
      );
      rows.push(row);
    }
    await server.stop();
  }
  await bare.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    await measureManyUsers(console.log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
