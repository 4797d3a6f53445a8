/**
 * A listing of a million keys from a data server with one key, behind nginx as deploy/exchange configures it, beside the same
 * one straight from the data server. The service decides about each page, and nothing of any passes through it.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { missing, startProxy } from "../test/gateways/proxy-program.ts";
import { sign } from "../test/identity/naive-signer.ts";
import { serviceUrl, startAuthorizer, write } from "./authorizer.ts";

const PAGES = 1_000;
const KEYS_OF_A_PAGE = 1_000;
const KEY = "AKIAJLISTERLISTERLSQ";
const HOST = "s3.example.com";
const TOKEN = randomBytes(24).toString("hex");

/** A page as S3 answers it. */
function pageText(): string {
  const key = (index: number): string =>
    `<Contents><Key>main/folder/file-${index}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
    `<ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag><Size>${index}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  const contents = Array.from({ length: KEYS_OF_A_PAGE }, (_, index) => key(index)).join("");
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>${contents}</ListBucketResult>`;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Lists all pages, one after the other; returns seconds and bytes. */
async function list(port: number, secret: string): Promise<readonly [seconds: number, bytes: number]> {
  const began = performance.now();
  let bytes = 0;
  for (let page = 0; page < PAGES; page++) {
    const stamp = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
    const signed = sign({
      ...{ form: "header", method: "GET", path: "/data", headers: { host: HOST }, accessKeyId: KEY, secret },
      query: [
        ["list-type", "2"],
        ["prefix", "main/"],
        ["continuation-token", `page-${page}`],
      ],
      ...{ timestamp: stamp, expires: "", payload: "UNSIGNED-PAYLOAD", algorithm: "AWS4-HMAC-SHA256" },
      scope: [stamp.slice(0, 8), "us-east-1", "s3", "aws4_request"],
    });
    const headers = Object.fromEntries(signed.headers);
    const sent = httpRequest({
      host: "127.0.0.1",
      port,
      path: `/data?${signed.query}`,
      headers,
      agent,
    }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`a page was answered with ${answer.statusCode}`);
    for await (const piece of answer) bytes += (piece as Buffer).length;
  }
  return [(performance.now() - began) / 1_000, bytes];
}

/** Measures, and prints a line. */
export async function measureListing(): Promise<void> {
  const why = missing("nginx");
  if (why !== undefined) {
    console.log(`a listing of a million keys: left out, ${why}`);
    return;
  }
  const secret = randomBytes(30).toString("base64");
  const page = pageText();
  const dataServer = createServer((_request, response) => response.end(page)).listen(0, "127.0.0.1");
  await once(dataServer, "listening");
  const { port: dataServerPort } = dataServer.address() as AddressInfo;
  const policies = [{ name: "OwnData", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] }];
  const credentials = [{ access_key_id: KEY, secret_access_key: secret }];
  const users = [{ username: "lister", policies: ["OwnData"], credentials }];
  const service = await startAuthorizer(
    write("listing.json", JSON.stringify({ format: 1, policies, users })),
    {
      flags: [
        ...["--authorizer.forward_auth.proxy", "nginx", "--authorizer.forward_auth.proxy_token", TOKEN],
        ...[
          "--authorizer.exchange.access_key_id",
          "AKIAJTHEONEKEYTHEONQ",
          "--gateways.s3.region",
          "us-east-1",
        ],
        ...["--authorizer.exchange.secret_access_key", randomBytes(30).toString("base64")],
      ],
    },
  );
  const authorizerPort = Number(new URL(serviceUrl(service)).port);
  const proxy = await startProxy("nginx", {
    dataServerPort,
    authorizerPort,
    proxyToken: TOKEN,
    exchange: true,
  });
  const [straight] = await list(dataServerPort, secret);
  const [cpu, written] = [service.cpu(), service.written()];
  const [seconds, bytes] = await list(proxy.port, secret);
  const megabytes = (count: number): string => (count / 1e6).toFixed(1);
  console.log(
    `a listing of a million keys: ${megabytes(bytes)} MB in ${seconds.toFixed(1)} s, ${straight.toFixed(1)} s without a proxy; ` +
      `the service took ${(service.cpu() - cpu).toFixed(2)} s of CPU time, and sent ${megabytes(service.written() - written)} MB`,
  );
  await proxy.close();
  await service.stop();
  agent.destroy();
  dataServer.close();
}
