/** Reads of the data-server API, side by side with bare `node:http` answering the same bytes on the same core. */
import { randomBytes } from "node:crypto";
import { serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import { CONNECTIONS, type Compared, compare, SECONDS } from "./compare.ts";
import { benchPolicies } from "./engine.ts";
import type { LoadJob } from "./load.ts";
import { startServer } from "./processes.ts";

const POLICIES = 20;
const STATEMENTS = 40;

/** One row of the table. */
export interface ReadRow extends Compared {
  readonly name: string;
  /** Bytes of the answer. */
  readonly bytes: number;
}

const KEY = "AKIAJBENCHBENCHBENCQ";

/** The targets that are read, by the name of the row. */
const TARGETS: Readonly<Record<string, string>> = {
  [`effective policies, ${POLICIES}`]:
    "/api/v1/auth/users/reader/policies?after=&amount=1000&effective=true&prefix=",
  getUser: "/api/v1/auth/users/reader",
  getCredentials: `/api/v1/auth/credentials/${KEY}`,
};

function dataset(): unknown {
  const policies = benchPolicies(STATEMENTS * 5)
    .slice(0, POLICIES)
    .map(({ name, statement }) => ({ name, statement: statement.slice(0, STATEMENTS / POLICIES) }));
  const names = policies.map(({ name }) => name);
  const groups = [{ name: "readers", policies: names.slice(POLICIES / 2) }];
  const credentials = [{ access_key_id: KEY, secret_access_key: randomBytes(30).toString("base64") }];
  const reader = {
    username: "reader",
    groups: ["readers"],
    policies: names.slice(0, POLICIES / 2),
    credentials,
  };
  return { format: 1, policies, groups, users: [reader] };
}

async function measureOne(name: string, service: string, path: string): Promise<ReadRow> {
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
    method: "GET",
    connections: CONNECTIONS,
    seconds: SECONDS,
    expect: text.slice(0, 20),
  });
  const compared = await compare({ bare: job(bare.line.split(" ")[1] as string), own: job(service) });
  await bare.stop();
  return { name, bytes: Buffer.byteLength(text), ...compared };
}

/** Measures the hot reads of a data server. */
export async function measureReads(log: (text: string) => void): Promise<ReadRow[]> {
  const authorizer = await startAuthorizer(write("reads.json", JSON.stringify(dataset())));
  const rows: ReadRow[] = [];
  for (const [name, path] of Object.entries(TARGETS)) {
    const row = await measureOne(name, serviceUrl(authorizer), path);
    log(
      `${name}: ${Math.round(row.perSecond).toLocaleString("en")}/s, ${row.ofBare.toFixed(2)} of bare node:http`,
    );
    rows.push(row);
  }
  await authorizer.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, bytes, perSecond, ofBare } of await measureReads(() => {})) {
    console.log(
      `${name} (${bytes} bytes): ${Math.round(perSecond).toLocaleString("en")}/s, ${ofBare.toFixed(2)}`,
    );
  }
}
