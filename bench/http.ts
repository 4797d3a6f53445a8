/** Requests per second and latency, side by side with bare `node:http` and Express on the same core. */
import { benchDataset, bodiesFor, SIZES, serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import {
  CONNECTIONS,
  type Compared,
  type Measured,
  measureLoad,
  medians,
  ROUNDS,
  SECONDS,
  WARM_UP_SECONDS,
} from "./compare.ts";
import type { LoadJob } from "./load.ts";
import { runLoad, type StartedServer, startServer } from "./processes.ts";

/** One row of the table. */
interface HttpRow extends Compared {
  readonly name: string;
}

/** Measures all endpoints in turn, round after round, so that a disturbance hits all alike. */
export async function measureHttp(log: (text: string) => void): Promise<HttpRow[]> {
  const script = (name: string): string => new URL(`./servers/${name}.ts`, import.meta.url).pathname;
  const servers = {
    bare: await startServer([script("bare")]),
    express: await startServer([script("express")]),
    authorizer: await startAuthorizer(write("bench.json", JSON.stringify(benchDataset()))),
  };
  const bare = servers.bare.line.split(" ")[1] as string;
  const express = servers.express.line.split(" ")[1] as string;
  const service = serviceUrl(servers.authorizer);
  const serverOf = new Map([
    [bare, servers.bare],
    [express, servers.express],
    [service, servers.authorizer],
  ]);
  const job = (
    url: string,
    path: string,
    bodies: string,
    expect: string,
    connections = CONNECTIONS,
  ): LoadJob => ({
    url,
    path,
    token,
    bodies,
    connections,
    seconds: SECONDS,
    expect,
  });
  const jobs: [string, LoadJob][] = [["bare node:http", job(bare, "/", bodiesFor(10).evaluation, "true")]];
  jobs.push(["Express", job(express, "/", bodiesFor(10).evaluation, "true")]);
  for (const size of SIZES) {
    const bodies = bodiesFor(size);
    const name = (endpoint: string): string => `${endpoint}, ${size.toLocaleString("en")} statements`;
    jobs.push([
      name("/evaluation"),
      job(service, "/access/v1/evaluation", bodies.evaluation, '"decision":true'),
    ]);
    jobs.push([name("/check"), job(service, "/access/v1/check", bodies.check, '"allowed":true')]);
    jobs.push([
      name("/evaluations × 1,000"),
      job(service, "/access/v1/evaluations", bodies.evaluations, '"decision":true', 1),
    ]);
    jobs.push([
      name("/evaluations × 1,000, half refused"),
      job(service, "/access/v1/evaluations", bodies.mixed, '"decision":true', 1),
    ]);
    jobs.push([
      name("/filter × 20,000, half refused"),
      job(service, "/access/v1/filter", bodies.mixedFilter, '"complete":true', 1),
    ]);
    jobs.push([
      name("/filter × 20,000"),
      job(service, "/access/v1/filter", bodies.filter, '"complete":true', 1),
    ]);
  }
  const results = new Map<string, Measured[]>(jobs.map(([name]) => [name, []]));
  for (const [, one] of jobs) await runLoad({ ...one, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, one] of jobs) {
      const result = await measureLoad({ server: serverOf.get(one.url) as StartedServer, job: one });
      results.get(name)?.push(result);
      log(`round ${round + 1}: ${name}: ${Math.round(result.perSecond).toLocaleString("en")}/s`);
    }
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  const bareRounds = results.get("bare node:http") as Measured[];
  return [...results].map(([name, rounds]) => ({ name, ...medians(rounds, bareRounds) }));
}
