/**
 * `npm run bench -- --peers`: OPA and Cerbos with the same directory and the same questions, side by side with the service and
 * bare `node:http`. Each gets its policies in the form in which it finds them without a search, and the client tells Cerbos the
 * user's group, because it keeps no users. Every server has one core.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { askAboutEverybody, coldDataset, localConfig, nameOf, resourceFor } from "./cold.ts";
import { CONNECTIONS, measureLoad, ROUNDS, Rounds, SECONDS, WARM_UP_SECONDS } from "./compare.ts";
import type { LoadJob } from "./load.ts";
import { cerbos, opa, VERSIONS } from "./peers/programs.ts";
import { runLoad, type StartedServer, startBinary, startServer } from "./processes.ts";

const STATEMENTS = 1_000;
const USERS = 1_000;
const QUESTIONS = 2_000;
const ACTION = "fs:ReadObject";

/** One row of the table. */
interface PeerRow {
  readonly name: string;
  readonly perSecond: number;
  readonly p99: number;
  /** Microseconds of processor time for each question. */
  readonly cpu: number;
  /** Processor time of bare `node:http`, divided by its own. */
  readonly cpuOfBare: number;
  /** MiB of anonymous memory at the end. */
  readonly memory: number;
}

interface Peer {
  readonly name: string;
  readonly server: StartedServer;
  readonly url: string;
  readonly path: string;
  /** The body of a question. */
  readonly body: (user: number, resource: string) => unknown;
  /** The text of an answer that allows, and one that every answer has. */
  readonly allowed: string;
  readonly answered: string;
}

type Groups = ReadonlyMap<string, readonly Statement[]>;

const repositoryOf = (resource: string): string => resource.split("/")[1] as string;
/** The rest of a resource behind its repository. */
const restOf = (resource: string): string => resource.split("/").slice(2).join("/");

function directory(): { users: ReadonlyMap<string, readonly string[]>; groups: Groups } {
  const { users = [], groups = [], policies = [] } = coldDataset(STATEMENTS);
  const statements = new Map(policies.map(({ name, statement }) => [name, statement]));
  return {
    users: new Map(users.map((user) => [user.username, user.groups ?? []])),
    groups: new Map(
      groups.map((group) => [
        group.name,
        (group.policies ?? []).flatMap((name) => statements.get(name) ?? []),
      ]),
    ),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startOpa(path: string): Promise<Peer> {
  const { users, groups } = directory();
  const byRepository = [...groups].map(([name, statements]) => [
    name,
    Object.groupBy(statements, ({ resource }) => repositoryOf(resource)),
  ]);
  const data = { users: Object.fromEntries(users), groups: Object.fromEntries(byRepository) };
  const url = `http://127.0.0.1:${await freePort()}`;
  const rego = join(import.meta.dirname, "peers/authz.rego");
  const flags = [
    "--server",
    "--addr",
    url.slice("http://".length),
    "--log-level",
    "error",
    "--skip-version-check",
  ];
  const args = ["run", ...flags, rego, write("opa-data.json", JSON.stringify(data))];
  return {
    name: `OPA ${VERSIONS.opa}`,
    server: await startBinary(path, { GOMAXPROCS: "1" }, args, `${url}/health`),
    url,
    path: "/v1/data/authz/allow",
    body: (user, resource) => ({ input: { user: nameOf(user), action: ACTION, resource } }),
    allowed: '"result":true',
    answered: '"result":',
  };
}

/** The kinds of statements of the population: which are of a kind, and its rule as a condition over constants of the policy. */
const KINDS = [
  {
    kind: "denied",
    has: ({ effect }: Statement) => effect === "deny",
    expr: (of: string) => `R.attr.repository in ${of} && R.id == ${of}[R.attr.repository]`,
  },
  {
    kind: "any",
    has: ({ resource }: Statement) => restOf(resource) === "*",
    expr: (of: string) => `R.attr.repository in ${of}`,
  },
  {
    kind: "own",
    has: ({ resource }: Statement) => resource.includes("$"),
    expr: (of: string) => `R.attr.repository in ${of} && R.id.startsWith("branch/" + P.id + "/")`,
  },
  {
    kind: "exact",
    has: () => true,
    expr: (of: string) => `R.attr.repository in ${of} && R.id == ${of}[R.attr.repository]`,
  },
];

/** One policy: the repositories of a group are constants, so that a condition finds one without a search. */
function cerbosPolicy(): unknown {
  const local: Record<string, Record<string, string>> = {};
  const rules = [...directory().groups].flatMap(([group, statements]) =>
    KINDS.flatMap(({ kind, expr }) => {
      const own = statements.filter((one) => KINDS.find(({ has }) => has(one))?.kind === kind);
      const [first] = own;
      if (first === undefined) return [];
      const name = `${group.replace("-", "_")}_${kind}`;
      local[name] = Object.fromEntries(own.map(({ resource }) => [repositoryOf(resource), restOf(resource)]));
      return [
        {
          actions: first.action,
          effect: first.effect === "deny" ? "EFFECT_DENY" : "EFFECT_ALLOW",
          roles: [group],
          condition: { match: { expr: expr(`C.${name}`) } },
        },
      ];
    }),
  );
  const resourcePolicy = { resource: "object", version: "default", constants: { local }, rules };
  return { apiVersion: "api.cerbos.dev/v1", resourcePolicy };
}

async function startCerbos(path: string): Promise<Peer> {
  const { users } = directory();
  const policies = join(folder, "cerbos");
  mkdirSync(policies);
  writeFileSync(join(policies, "object.json"), JSON.stringify(cerbosPolicy()));
  const [http, grpc] = [await freePort(), await freePort()];
  const config = {
    server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
    storage: { driver: "disk", disk: { directory: policies, watchForChanges: false } },
    telemetry: { disabled: true },
  };
  const url = `http://127.0.0.1:${http}`;
  const args = ["server", "--log-level=error", `--config=${write("cerbos.json", JSON.stringify(config))}`];
  return {
    name: `Cerbos ${VERSIONS.cerbos}`,
    server: await startBinary(path, { GOMAXPROCS: "1" }, args, `${url}/_cerbos/health`),
    url,
    path: "/api/check/resources",
    body: (user, resource) => ({
      requestId: "1",
      principal: { id: nameOf(user), roles: users.get(nameOf(user)) },
      resources: [
        {
          resource: { kind: "object", id: restOf(resource), attr: { repository: repositoryOf(resource) } },
          actions: [ACTION],
        },
      ],
    }),
    allowed: "EFFECT_ALLOW",
    answered: "EFFECT_",
  };
}

async function startOwn(): Promise<Peer> {
  const dataset = write("peers.json", JSON.stringify(coldDataset(STATEMENTS)));
  const config = localConfig("peers");
  const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", dataset]);
  await askAboutEverybody(server);
  return {
    name: "svc-authorizer, /access/v1/check",
    server,
    url: serviceUrl(server),
    path: "/access/v1/check",
    body: (user, resource) => ({ user: nameOf(user), required: { action: ACTION, resource } }),
    allowed: '"allowed":true',
    answered: '"allowed":',
  };
}

/** Question number `index`: its user, its resource, and whether it is allowed. */
function question(index: number): {
  readonly user: number;
  readonly resource: string;
  readonly allowed: boolean;
} {
  const user = index % USERS;
  const place = index + Math.floor(index / USERS);
  const resource = resourceFor(user, place);
  return { user, resource, allowed: place % 2 === 0 };
}

/** Throws where an answer is not that of the policies. */
async function assertAnswers(peer: Peer): Promise<void> {
  for (let index = 0; index < QUESTIONS; index += 7) {
    const { user, resource, allowed } = question(index);
    const answer = await fetch(`${peer.url}${peer.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(peer.body(user, resource)),
    });
    const text = await answer.text();
    if (text.includes(peer.allowed) !== allowed) throw new Error(`${peer.name}, ${resource}: ${text}`);
  }
}

/** Measures those of the programs that can be had here. */
export async function measurePeers(log: (text: string) => void): Promise<PeerRow[]> {
  const bare = await startServer([new URL("./servers/bare.ts", import.meta.url).pathname]);
  const peers: Peer[] = [await startOwn()];
  const [opaPath, cerbosPath] = [opa(), cerbos()];
  if (opaPath === undefined) log("no row of OPA: it could not be built");
  else peers.push(await startOpa(opaPath));
  if (cerbosPath === undefined) log("no row of Cerbos: it could not be fetched");
  else peers.push(await startCerbos(cerbosPath));
  for (const peer of peers) await assertAnswers(peer);
  const jobOf = ({ url, path, body, answered }: Omit<Peer, "server">, name: string): LoadJob => {
    const lines = Array.from({ length: QUESTIONS }, (_, index) => {
      const { user, resource } = question(index);
      return JSON.stringify(body(user, resource));
    });
    const bodies = write(`peer-${name}`, lines.join("\n"));
    return { url, path, token, bodies, connections: CONNECTIONS, seconds: SECONDS, expect: answered };
  };
  const own = peers[0] as Peer;
  const floor = {
    ...own,
    name: "bare `node:http`",
    server: bare,
    url: bare.line.split(" ")[1] as string,
    answered: "true",
  };
  const loads = [floor, ...peers].map((peer, index) => ({ ...peer, job: jobOf(peer, `${index}`) }));
  for (const { job } of loads) await runLoad({ ...job, seconds: WARM_UP_SECONDS });
  const rounds = new Rounds();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, server, job } of loads) log(rounds.add(name, await measureLoad({ server, job })));
  }
  const rows = loads.map(({ name, server }) => ({
    name,
    perSecond: rounds.median(name, "perSecond"),
    p99: rounds.median(name, "p99"),
    cpu: rounds.median(name, "cpu"),
    cpuOfBare: rounds.median(floor.name, "cpu") / rounds.median(name, "cpu"),
    memory: server.anonymous(),
  }));
  for (const { server } of loads) await server.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    console.table(await measurePeers(console.error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
