/** Subrequests of nginx to `/forward-auth`, side by side with bare `node:http` answering the same requests on the same core. */
import { randomBytes } from "node:crypto";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { serviceUrl, startAuthorizer, write } from "./authorizer.ts";
import { CONNECTIONS, type Compared, compare, SECONDS } from "./compare.ts";
import { benchPolicies } from "./engine.ts";
import type { LoadJob } from "./load.ts";
import { startServer } from "./processes.ts";

/** Requests, each by another user. */
const REQUESTS = 1000;
const HOST = "data.example.com";
/** A token that proxies send always, and that the service may demand. */
export const PROXY_TOKEN = randomBytes(24).toString("hex");

/** One row of the table. */
interface ForwardAuthRow extends Compared {
  readonly name: string;
}

/** The access key of a user. */
export function keyOf(index: number): string {
  const letters = [...String(index).padStart(14, "0")].map((digit) => "ABCDEFGHIJ"[Number(digit)]);
  return `AKIAJ${letters.join("")}Q`;
}

/** 1,000 users of one group, each with an access key. */
export function usersWithKeys(secret: string): unknown {
  const policies = benchPolicies(200);
  const reads = {
    name: "ReadsData",
    statement: [{ effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/data/*" }],
  };
  const groups = [{ name: "readers", policies: [...policies.map(({ name }) => name), reads.name] }];
  const users = Array.from({ length: REQUESTS }, (_, index) => ({
    username: `reader-${index}`,
    groups: ["readers"],
    credentials: [{ access_key_id: keyOf(index), secret_access_key: secret }],
  }));
  return { format: 1, policies: [...policies, reads], groups, users };
}

/** A subrequest as docs/gateways.md has nginx send it. */
function subrequest(uri: string, headers: Readonly<Record<string, string>>): string {
  const lines = {
    Host: HOST,
    "X-Forwarded-For": "203.0.113.9",
    "X-Original-Method": "GET",
    "X-Original-URI": uri,
    "X-Original-Host": HOST,
    Accept: "*/*",
    "X-Svc-Proxy-Token": PROXY_TOKEN,
    ...headers,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET /forward-auth HTTP/1.1\r\n${text.join("")}\r\n`;
}

/** Requests with Basic credentials, each of another user. */
export function basicRequests(secret: string): string[] {
  return Array.from({ length: REQUESTS }, (_, index) =>
    subrequest(`/api/v1/repositories/data/refs/main/objects?path=folder%2Ffile-${index}`, {
      "User-Agent": "bench",
      Authorization: `Basic ${Buffer.from(`${keyOf(index)}:${secret}`).toString("base64")}`,
    }),
  );
}

/** Requests signed by AWS's own client. */
export async function signedRequests(secret: string): Promise<string[]> {
  const captured: { path: string; headers: Record<string, string> }[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const client = new S3Client({
      endpoint: `http://${HOST}`,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: keyOf(index), secretAccessKey: secret },
      requestHandler: {
        handle: async (request: { path: string; headers: Record<string, string> }) => {
          captured.push(request);
          throw new Error("captured");
        },
      } as never,
      maxAttempts: 1,
    });
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
  const data = write("forward-auth.json", JSON.stringify(usersWithKeys(secret)));
  const authorizer = await startAuthorizer(data, {
    flags: ["--authorizer.forward_auth.proxy", "nginx", "--gateways.s3.region", "us-east-1"],
  });
  const script = new URL("./servers/bare-bytes.ts", import.meta.url).pathname;
  const bare = await startServer([script, write("nothing", "")]);
  const bareUrl = bare.line.split(" ")[1] as string;
  const service = serviceUrl(authorizer);
  const kinds = { Basic: basicRequests(secret), "Signature Version 4": await signedRequests(secret) };
  const rows: ForwardAuthRow[] = [];
  for (const [kind, requests] of Object.entries(kinds)) {
    const name = `/forward-auth, ${kind}`;
    const file = write(`${kind}.json`, JSON.stringify(requests));
    const row = {
      name,
      ...(await compare({
        bare: { server: bare, job: jobOf(bareUrl, file) },
        own: { server: authorizer, job: jobOf(service, file) },
      })),
    };
    log(
      `${name}: ${Math.round(row.perSecond).toLocaleString("en")}/s, ${row.ofBare.toFixed(2)} of bare node:http, ${row.cpuOfBare.toFixed(2)} by CPU time`,
    );
    rows.push(row);
  }
  await Promise.all([authorizer.stop(), bare.stop()]);
  return rows;
}

/** A load of the requests in a file. */
export function jobOf(url: string, requests: string): LoadJob {
  const unused = { path: "/forward-auth", token: "", bodies: "", expect: "" };
  return { ...unused, url, requests, connections: CONNECTIONS, seconds: SECONDS };
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, perSecond, ofBare, cpuOfBare } of await measureForwardAuth(() => {})) {
    console.log(
      `${name}: ${Math.round(perSecond).toLocaleString("en")}/s, ${ofBare.toFixed(2)} of bare node:http, ${cpuOfBare.toFixed(2)} by CPU time`,
    );
  }
}
