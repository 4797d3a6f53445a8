/** Subrequests of nginx to `/forward-auth`, side by side with bare `node:http` answering the same requests on the same core. */
import { randomBytes } from "node:crypto";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { serviceUrl, startAuthorizer, write } from "./authorizer.ts";
import { benchPolicies } from "./engine.ts";
import type { LoadJob, LoadResult } from "./load.ts";
import { runLoad, startServer } from "./processes.ts";

const CONNECTIONS = 32;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3);
const WARM_UP_SECONDS = 1.5;
const REQUESTS = 1000;
const KEY = "AKIAJBENCHBENCHBENCQ";
const HOST = "data.example.com";

/** One row of the table. */
export interface ForwardAuthRow extends LoadResult {
  readonly name: string;
  /** Share of the rate of bare `node:http` with the same requests in the same round, median over the rounds. */
  readonly ofBare: number;
}

function dataset(secret: string): unknown {
  const policies = benchPolicies(200);
  const reads = {
    name: "ReadsData",
    statement: [{ effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/data/*" }],
  };
  const reader = {
    username: "reader",
    policies: [...policies.map(({ name }) => name), reads.name],
    credentials: [{ access_key_id: KEY, secret_access_key: secret }],
  };
  return { format: 1, policies: [...policies, reads], users: [reader] };
}

/** A subrequest as docs/gateways.md has nginx send it. */
function subrequest(uri: string, headers: Readonly<Record<string, string>>): string {
  const lines = {
    Host: HOST,
    "X-Forwarded-For": "203.0.113.9",
    "X-Original-Method": "GET",
    "X-Original-URI": uri,
    "X-Original-Host": HOST,
    "User-Agent": "bench",
    Accept: "*/*",
    ...headers,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET /forward-auth HTTP/1.1\r\n${text.join("")}\r\n`;
}

function basicRequests(secret: string): string[] {
  const authorization = `Basic ${Buffer.from(`${KEY}:${secret}`).toString("base64")}`;
  return Array.from({ length: REQUESTS }, (_, index) =>
    subrequest(`/api/v1/repositories/data/refs/main/objects?path=folder%2Ffile-${index}`, {
      Authorization: authorization,
    }),
  );
}

/** Requests signed by AWS's own client. */
async function signedRequests(secret: string): Promise<string[]> {
  const captured: { path: string; headers: Record<string, string> }[] = [];
  const client = new S3Client({
    endpoint: `http://${HOST}`,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: KEY, secretAccessKey: secret },
    requestHandler: {
      handle: async (request: { path: string; headers: Record<string, string> }) => {
        captured.push(request);
        throw new Error("captured");
      },
    } as never,
    maxAttempts: 1,
  });
  for (let index = 0; index < REQUESTS; index++) {
    await client
      .send(new GetObjectCommand({ Bucket: "data", Key: `main/folder/file-${index}` }))
      .catch(() => {});
  }
  return captured.map(({ path, headers }) => {
    const { host: _host, ...others } = headers;
    return subrequest(`${path}?x-id=GetObject`, others);
  });
}

/** Measures both kinds of credential. */
export async function measureForwardAuth(log: (text: string) => void): Promise<ForwardAuthRow[]> {
  const secret = randomBytes(30).toString("base64");
  const authorizer = await startAuthorizer(write("forward-auth.json", JSON.stringify(dataset(secret))), [
    "--authorizer.forward_auth.proxy",
    "nginx",
    "--gateways.s3.region",
    "us-east-1",
  ]);
  const script = new URL("./servers/bare-bytes.ts", import.meta.url).pathname;
  const bare = await startServer([script, write("nothing", "")]);
  const kinds = { Basic: basicRequests(secret), "Signature Version 4": await signedRequests(secret) };
  const rows: ForwardAuthRow[] = [];
  for (const [kind, requests] of Object.entries(kinds)) {
    const name = `/forward-auth, ${kind}`;
    const row = await compare(name, write(`${kind}.json`, JSON.stringify(requests)), {
      bare: bare.line.split(" ")[1] as string,
      own: serviceUrl(authorizer),
    });
    log(
      `${name}: ${Math.round(row.perSecond).toLocaleString("en")}/s, ${row.ofBare.toFixed(2)} of bare node:http`,
    );
    rows.push(row);
  }
  await Promise.all([authorizer.stop(), bare.stop()]);
  return rows;
}

async function compare(
  name: string,
  requests: string,
  urls: { readonly bare: string; readonly own: string },
): Promise<ForwardAuthRow> {
  const job = (url: string, seconds = SECONDS): LoadJob => ({
    url,
    path: "/forward-auth",
    token: "",
    bodies: "",
    requests,
    connections: CONNECTIONS,
    seconds,
    expect: "",
  });
  for (const url of [urls.bare, urls.own]) await runLoad(job(url, WARM_UP_SECONDS));
  const rounds: { readonly bare: LoadResult; readonly own: LoadResult }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await runLoad(job(urls.bare)), own: await runLoad(job(urls.own)) });
  }
  const median = (values: readonly number[]): number =>
    [...values].sort((a, b) => a - b)[values.length >> 1] as number;
  return {
    name,
    perSecond: median(rounds.map(({ own }) => own.perSecond)),
    p50: median(rounds.map(({ own }) => own.p50)),
    p99: median(rounds.map(({ own }) => own.p99)),
    ofBare: median(rounds.map(({ bare, own }) => own.perSecond / bare.perSecond)),
  };
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, perSecond, ofBare } of await measureForwardAuth(() => {})) {
    console.log(
      `${name}: ${Math.round(perSecond).toLocaleString("en")}/s, ${ofBare.toFixed(2)} of bare node:http`,
    );
  }
}
