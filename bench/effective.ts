/** Reads of the data-server API, side by side with bare `node:http` answering the same bytes on the same core. */
import { randomBytes } from "node:crypto";
import { serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import { CONNECTIONS, type Compared, compare, SECONDS } from "./compare.ts";
import { benchPolicies } from "./engine.ts";
import { keyOf, usersWithKeys } from "./forward-auth.ts";
import type { LoadJob } from "./load.ts";
import { type StartedServer, startServer } from "./processes.ts";

const POLICIES = 20;
const STATEMENTS = 40;

/** One row of the table. */
interface ReadRow extends Compared {
  readonly name: string;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** The targets that are read, by the name of the row. */
const TARGETS: Readonly<Record<string, string>> = {
  [`effective policies, ${POLICIES}`]:
    "/api/v1/auth/users/reader/policies?after=&amount=1000&effective=true&prefix=",
  getUser: "/api/v1/auth/users/reader",
};
const CREDENTIALS = "/api/v1/auth/credentials/";
const USERS_WITH_KEYS = 1000;

function dataset(): unknown {
  const policies = benchPolicies(STATEMENTS * 5)
    .slice(0, POLICIES)
    .map(({ name, statement }) => ({ name, statement: statement.slice(0, STATEMENTS / POLICIES) }));
  const names = policies.map(({ name }) => name);
  const groups = [{ name: "readers", policies: names.slice(POLICIES / 2) }];
  const reader = {
    username: "reader",
    groups: ["readers"],
    policies: names.slice(0, POLICIES / 2),
  };
  return { format: 1, policies, groups, users: [reader] };
}

/** @param paths what is read, in turn */
async function measureOne(name: string, server: StartedServer, paths: readonly string[]): Promise<ReadRow> {
  const [path = ""] = paths;
  const service = serviceUrl(server);
  const response = await fetch(service + path, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
  const script = new URL("./servers/bare-bytes.ts", import.meta.url).pathname;
  const bare = await startServer([script, write(`answer-${randomBytes(4).toString("hex")}`, text)]);
  const job = (url: string): LoadJob => ({
    url,
    path,
    token,
    bodies: "",
    requests: write(`reads-${randomBytes(4).toString("hex")}`, JSON.stringify(paths.map(request))),
    method: "GET",
    connections: CONNECTIONS,
    seconds: SECONDS,
    expect: text.slice(0, 15),
  });
  const compared = await compare({
    bare: { server: bare, job: job(bare.line.split(" ")[1] as string) },
    own: { server, job: job(service) },
  });
  await bare.stop();
  return { name, bytes: Buffer.byteLength(text), ...compared };
}

function request(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

/** Measures the hot reads of a data server. */
export async function measureReads(log: (text: string) => void): Promise<ReadRow[]> {
  const authorizer = await startAuthorizer(write("reads.json", JSON.stringify(dataset())));
  const rows: ReadRow[] = [];
  for (const [name, path] of Object.entries(TARGETS)) {
    const row = await measureOne(name, authorizer, [path]);
    log(
      `${name}: ${Math.round(row.perSecond).toLocaleString("en")}/s, ${row.ofBare.toFixed(2)} of bare node:http, ${row.cpuOfBare.toFixed(2)} by CPU time`,
    );
    rows.push(row);
  }
  await authorizer.stop();
  const secret = randomBytes(30).toString("base64");
  const withKeys = await startAuthorizer(write("keys.json", JSON.stringify(usersWithKeys(secret))));
  const keys = Array.from({ length: USERS_WITH_KEYS }, (_, index) => `${CREDENTIALS}${keyOf(index)}`);
  const row = await measureOne("getCredentials, 1,000 users", withKeys, keys);
  log(`${row.name}: ${row.ofBare.toFixed(2)} of bare node:http, ${row.cpuOfBare.toFixed(2)} by CPU time`);
  rows.push(row);
  await withKeys.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, bytes, perSecond, ofBare } of await measureReads(() => {})) {
    console.log(
      `${name} (${bytes} bytes): ${Math.round(perSecond).toLocaleString("en")}/s, ${ofBare.toFixed(2)}`,
    );
  }
}
