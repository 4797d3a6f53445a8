/**
 * `npm run bench -- --connections`: questions over few and many keep-alive connections, with few and many statements, and as
 * in production (decision log, TLS), beside bare `node:http` with the same connections and bodies. The floor below both is a
 * server in Go that answers a constant, where there is `go`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { selfSigned } from "../test/http/certificate.ts";
import {
  type BenchSettings,
  benchDataset,
  bodiesFor,
  folder,
  startAuthorizer,
  token,
  urlsOf,
  write,
} from "./authorizer.ts";
import { measureLoad, ROUNDS, Rounds, SECONDS, WARM_UP_SECONDS } from "./compare.ts";
import { runLoad, type StartedServer, startBinary, startServer } from "./processes.ts";

/** Connections that the service may have in this bench: all come from one address. */
const MOST_CONNECTIONS = 5_000;

/** One row: a server with a number of connections. */
interface ConnectionsRow {
  readonly name: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly p99: number;
  /** Microseconds of processor time for each request. */
  readonly cpu: number;
  /** Rate and processor time, of those of bare `node:http` with as many connections. */
  readonly ofBare: number;
  readonly cpuOfBare: number;
}

interface Contender {
  readonly name: string;
  readonly server: StartedServer;
  readonly url: string;
  readonly statements: number;
  /** Connections of its loads. */
  readonly connections: readonly number[];
}

const BARE = "bare `node:http`";
const FEW = [32];
const ALL = [32, 200, 3_000];

const script = (name: string): string => new URL(`./servers/${name}`, import.meta.url).pathname;

async function service(settings: BenchSettings): Promise<{ server: StartedServer; url: string }> {
  const limits = { connections: MOST_CONNECTIONS, connections_per_address: MOST_CONNECTIONS };
  const dataset = write("connections.json", JSON.stringify(benchDataset()));
  const server = await startAuthorizer(dataset, { ...settings, more: { limits, ...settings.more } });
  return { server, url: urlsOf(server).service };
}

/** A constant answer in a compiled server; undefined where there is no `go`. */
async function constant(): Promise<StartedServer | undefined> {
  const binary = join(folder, "constant");
  const built = spawnSync("go", ["build", "-o", binary, "."], { cwd: script("constant"), stdio: "inherit" });
  if (built.status !== 0) return undefined;
  return startBinary(binary, { GOMAXPROCS: "1" });
}

async function contenders(log: (text: string) => void): Promise<Contender[]> {
  const { cert, key } = selfSigned("localhost");
  const [certFile, keyFile] = [write("cert.pem", cert), write("key.pem", key)];
  const decisionLog = { include: "all", directory: mkdtempSync(join(folder, "decisions-")) };
  const tls = { enabled: true, cert_file: certFile, key_file: keyFile };
  const urlOf = ({ line }: StartedServer): string => line.split(" ")[1] as string;
  const bare = await startServer([script("bare.ts")]);
  const bareTls = await startServer([script("bare-tls.ts"), certFile, keyFile]);
  const floor = await constant();
  if (floor === undefined) log("no row of a compiled server: there is no `go`");
  const loggedDirectory = mkdtempSync(join(folder, "decisions-"));
  return [
    { name: BARE, server: bare, url: urlOf(bare), statements: 1_000, connections: ALL },
    { name: "bare `node:https`", server: bareTls, url: urlOf(bareTls), statements: 1_000, connections: FEW },
    ...(floor === undefined
      ? []
      : [
          {
            name: "a constant answer, Go `net/http`",
            server: floor,
            url: urlOf(floor),
            statements: 1_000,
            connections: ALL,
          },
        ]),
    { name: "/evaluation, 1,000 statements", ...(await service({})), statements: 1_000, connections: ALL },
    {
      name: "/evaluation, 10,000 statements",
      ...(await service({})),
      statements: 10_000,
      connections: [32, 200],
    },
    {
      name: "/evaluation, 1,000 statements, decision log `all`",
      ...(await service({ more: { decision_log: decisionLog } })),
      statements: 1_000,
      connections: FEW,
    },
    {
      name: "/evaluation, 1,000 statements, decision log `all`, TLS",
      ...(await service({ more: { decision_log: { ...decisionLog, directory: loggedDirectory }, tls } })),
      statements: 1_000,
      connections: FEW,
    },
  ];
}

/** Measures all servers in turn, round after round, so that a disturbance hits all alike. */
export async function measureConnections(log: (text: string) => void): Promise<ConnectionsRow[]> {
  const all = await contenders(log);
  const loads = all.flatMap(({ connections, ...one }) => connections.map((count) => ({ ...one, count })));
  const nameOf = ({ name, count }: { readonly name: string; readonly count: number }): string =>
    `${name} ${count}`;
  const jobOf = ({ url, statements, count }: (typeof loads)[number]) => ({
    url,
    path: "/access/v1/evaluation",
    token,
    bodies: bodiesFor(statements).evaluation,
    connections: count,
    seconds: SECONDS,
    // To open thousands would be most of a short load.
    connectsFirst: true,
    expect: '"decision":true',
  });
  const rounds = new Rounds();
  for (const load of loads) await runLoad({ ...jobOf(load), seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round++) {
    for (const load of loads) {
      const { server } = load;
      log(
        `${load.count} connections: ${rounds.add(nameOf(load), await measureLoad({ server, job: jobOf(load) }))}`,
      );
    }
  }
  for (const { server } of all) await server.stop();
  return loads.map((load) => {
    const of = (field: "perSecond" | "p99" | "cpu") => rounds.median(nameOf(load), field);
    const bare = (field: "perSecond" | "cpu") =>
      rounds.median(nameOf({ name: BARE, count: load.count }), field);
    return {
      name: load.name,
      connections: load.count,
      perSecond: of("perSecond"),
      p99: of("p99"),
      cpu: of("cpu"),
      ofBare: of("perSecond") / bare("perSecond"),
      cpuOfBare: bare("cpu") / of("cpu"),
    };
  });
}

if (process.argv[1] === import.meta.filename) {
  try {
    console.table(await measureConnections(console.error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
