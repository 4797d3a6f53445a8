/**
 * Random requests through nginx, recorded on both sides: the data server serves with its one key exactly what
 * forward-auth without an exchange allows, less what the rules of the exchange refuse (stated here a second time). Some pass
 * through the streaming listener, which decides by itself. Lists, which it filters, are left out.
 */

import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missing, type ProxyProgram, startProxy } from "../gateways/proxy-program.ts";
import { portFor } from "../gateways/start-behind-proxy.ts";
import { sized } from "../proofs/size.ts";
import { type OneKeyServer, SERVER_KEY, startOneKeyServer } from "./one-key-server.ts";
import { numbers } from "./random-numbers.ts";
import {
  ACCESS_KEYS,
  basicOf,
  EXCHANGE,
  PROXY_TOKEN,
  S3_DOMAIN,
  signedBy,
  startExchange,
} from "./start-exchange.ts";

const SEED = 20_260_922;
const AT_ONCE = 16;
/** Requests of one round: they are signed when it begins, and a signature holds for 15 minutes. */
const ROUND = 5_000;
const NO_DECISION = 503;

interface Sent {
  readonly id: string;
  readonly user: string | undefined;
  readonly s3: boolean;
  readonly method: string;
  readonly uri: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
}

const USERS = [...ACCESS_KEYS.keys()];
const KEYS = [
  "a",
  "b/c",
  "_lakefs_actions/a.yaml",
  "%5Flakefs_actions/x",
  "/_lakefs_actions/y",
  "_lakefs_actions",
  "a%20b%C3%A4",
];
const REPOSITORIES = ["data", "data", "other", "object"];
const MAIN: readonly (readonly [string, string])[] = [
  ["GET", "/repositories/R"],
  ["GET", "/repositories/R/branches"],
  ["DELETE", "/repositories/R/branches/kept"],
  ["GET", "/repositories/R/refs/main/objects?path=K"],
  ["GET", "/repositories/R/refs/main/objects/ls?presign=true"],
  ["GET", "/repositories/R/refs/main/objects/ls?presign=false"],
  ["POST", "/repositories/R/branches/main/objects?path=K"],
  ["PUT", "/repositories/R/branches/main/objects?path=K"],
  ["DELETE", "/repositories/R/branches/main/objects?path=K"],
  ["PUT", "/repositories/R/branches/main/objects/stat/user_metadata?path=K"],
  ["POST", "/repositories/R/branches/main/objects/copy?dest_path=K"],
  ["GET", "/repositories/R/branches/main/staging/backing?path=K"],
  ["PUT", "/repositories/R/branches/main/staging/backing?path=K"],
  ["POST", "/repositories/R/branches/main/staging/pmpu?path=K"],
  ["DELETE", "/repositories/R/branches/main/staging/pmpu/u?path=K"],
  ["POST", "/repositories/R/branches/main/import"],
  ["GET", "/repositories/R/branches/main/import"],
  ["POST", "/repositories/R/branches/main/commits"],
  ["POST", "/repositories/R/commits"],
  ["PUT", "/repositories/R/refs/restore"],
  ["POST", "/repositories/R/restore"],
  ["GET", "/auth/users"],
  ["POST", "/auth/users/one/credentials"],
  ["GET", "/user"],
  ["GET", "/setup_lakefs"],
  ["GET", "/healthcheck"],
  ["GET", "/config"],
  ["GET", "/nothing"],
];
const S3: readonly (readonly [string, string])[] = [
  ["GET", "/R?list-type=2&prefix=main%2F"],
  ["HEAD", "/R"],
  ["GET", "/R/main/K"],
  ["HEAD", "/R/main/K"],
  ["PUT", "/R/main/K"],
  ["DELETE", "/R/main/K"],
  ["POST", "/R/main/K?uploads="],
  ["PUT", "/R/main/K?partNumber=1&uploadId=u"],
  ["POST", "/R?delete="],
];
const MORE: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { "x-amz-meta-a": "b  c" },
  { "x-amz-copy-source": "/other/main/a" },
  { "x-amz-copy-source": "/data/main/a" },
  { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  { "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" },
];

function requests(count: number, next: () => number): Sent[] {
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  return Array.from({ length: count }, (_, index) => {
    const id = String(index);
    const s3 = next() < 0.5;
    const [method, template] = one(s3 ? S3 : MAIN);
    const uri = (s3 ? template : `/api/v1${template}`)
      .replace("R", one(REPOSITORIES))
      .replace("K", one(KEYS));
    const user = one(USERS);
    if (!s3) return { id, s3, method, uri, host: "data.example.com", ...mainCredential(next(), user) };
    const form = next() < 0.2 ? ("presigned" as const) : ("header" as const);
    const changed = next() < 0.1;
    const more = form === "presigned" ? {} : one(MORE);
    const signed = signedBy(user, method, uri, { form, headers: more });
    const headers = signed.headers.filter(([name]) => name !== "host");
    const wrong = changed ? signed.uri.replace("data", "other").replace("main", "dev") : signed.uri;
    return {
      id,
      s3,
      method,
      uri: wrong,
      host: S3_DOMAIN,
      headers,
      user: wrong === signed.uri ? user : undefined,
    };
  });
}

function mainCredential(chance: number, user: string): Pick<Sent, "user" | "headers"> {
  const own = `${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`;
  if (chance < 0.05) return { user: undefined, headers: [] };
  if (chance < 0.1) return { user: undefined, headers: [["authorization", "Basic QUtJQTp4"]] };
  if (chance < 0.15) {
    return { user: undefined, headers: [["authorization", `Basic ${Buffer.from(own).toString("base64")}`]] };
  }
  return { user, headers: [["authorization", basicOf(user)]] };
}

const EVERY_NAMESPACE = new Set(["importer", "administrator", "nearly", "conditional"]);

/** The rules of spec/exchange §4 over a request in clear. */
function isRefused({ user, s3, method, uri, headers }: Sent): boolean {
  const [path = "", query = ""] = uri.split("?");
  const isAdministrator = user === "administrator";
  if (s3) {
    if (
      headers.some(([name, value]) => name === "x-amz-content-sha256" && value.startsWith("STREAMING-AWS4"))
    )
      return true;
    const key = decodeURIComponent(path).split("/").slice(3).join("/").replace(/^\/+/, "");
    return /^(?:PUT|POST)$/.test(method) && key.startsWith("_lakefs_actions/") && !isAdministrator;
  }
  if (/^\/api\/v1\/(?:auth\/|user$|setup)/.test(path)) return true;
  if (isAdministrator) return false;
  const what = `${method} ${path.replace(/^\/api\/v1\/repositories\/\w+/, "")}`;
  if (/^(?:POST \/branches\/main\/import|POST \/commits|PUT \/refs\/restore|POST \/restore)$/.test(what))
    return true;
  const parameters = new URLSearchParams(query);
  const key = (parameters.get("dest_path") ?? parameters.get("path") ?? "").replace(/^\/+/, "");
  const writes = /branches\/main\/(?:objects|staging)/.test(what) && what !== "DELETE /branches/main/objects";
  if (writes && key.startsWith("_lakefs_actions/")) return true;
  const byAddress = /^PUT \/branches\/main\/(?:objects|staging\/backing)$/.test(what);
  return byAddress && !EVERY_NAMESPACE.has(user ?? "");
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** The status of a request; its body is passed over. */
async function statusOf(
  port: number,
  method: string,
  path: string,
  headers: readonly string[],
): Promise<number> {
  const sent = httpRequest({
    host: "127.0.0.1",
    port,
    method,
    path,
    agent,
    setHost: false,
    headers,
  } as never);
  let answered: unknown[];
  try {
    answered = await once(sent.end(), "response");
  } catch (error) {
    // The server closed a free connection just as the request took it.
    if (!sent.reusedSocket) throw error;
    return statusOf(port, method, path, headers);
  }
  const [answer] = answered as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  // A machine with other work has no decision in time: nothing passed, and there is nothing to compare.
  if (answer.statusCode === NO_DECISION) return statusOf(port, method, path, headers);
  return answer.statusCode ?? 0;
}

const why = missing("nginx");
describe.skipIf(why !== undefined)(
  `behind nginx, with one key, random requests${why === undefined ? "" : ` (${why})`}`,
  () => {
    let dataServer: OneKeyServer;
    let authorizer: TestAuthorizer;
    let plain: TestAuthorizer;
    let proxy: ProxyProgram;
    beforeAll(async () => {
      dataServer = await startOneKeyServer();
      authorizer = await startExchange("nginx", {
        "authorizer.exchange.streaming_address": "127.0.0.1:0",
        "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
        // The bodies are empty.
        "authorizer.exchange.name_in_metadata": "off",
      });
      const { "authorizer.forward_auth.proxy_token": token } = EXCHANGE;
      plain = await startExchange("nginx", {}, { "authorizer.forward_auth.proxy_token": token });
      const ports = { dataServerPort: dataServer.port, authorizerPort: portFor(authorizer) };
      const streamingPort = Number(new URL(authorizer.streamingUrl as string).port);
      proxy = await startProxy("nginx", { ...ports, streamingPort, proxyToken: PROXY_TOKEN, exchange: true });
      dataServer.arrived.length = 0;
    }, 120_000);
    afterAll(async () => {
      agent.destroy();
      await proxy?.close();
      await authorizer?.close();
      await plain?.close();
      await dataServer?.close();
    });

    /** Sends the requests, and compares both sides. */
    async function round(all: readonly Sent[]): Promise<void> {
      const expected = new Set<string>();
      const left = [...all];
      const worker = async (): Promise<void> => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) {
          const { id, method, uri, host, headers } = one;
          const told = ["host", "authorizer", "x-svc-proxy-token", PROXY_TOKEN, "x-original-method", method];
          told.push("x-original-uri", uri, "x-original-host", host, ...headers.flat());
          const allowed = (await statusOf(portFor(plain), "GET", "/forward-auth", told)) === 200;
          if (allowed && !isRefused(one)) expected.add(id);
          await statusOf(proxy.port, method, uri, [
            "host",
            host,
            "content-length",
            "0",
            "x-id",
            id,
            ...headers.flat(),
          ]);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const byId = new Map(all.map((one) => [one.id, one]));
      // Nothing arrives that the data server would refuse: the new credential fits each request.
      expect(dataServer.arrived.filter(({ status }) => status !== 200)).toEqual([]);
      const arrived = new Set(dataServer.arrived.map(({ headers }) => String(headers["x-id"])));
      const differing = all.filter(({ id }) => arrived.has(id) !== expected.has(id));
      expect(differing.slice(0, 5)).toEqual([]);
      expect(arrived.size).toBe(expected.size);
      expect(expected.size).toBeGreaterThan(all.length / 10);
      for (const { headers, method, target } of dataServer.arrived) {
        const one = byId.get(String(headers["x-id"])) as Sent;
        expect([method, target, headers["x-svc-user"]]).toEqual([one.method, one.uri, one.user ?? "-"]);
        // With the key where there is a user, else without any credential.
        expect(headers.authorization === undefined).toBe(one.user === undefined);
      }
    }

    it("what the data server serves with its key is exactly what is allowed", {
      timeout: 14_400_000,
    }, async () => {
      const next = numbers(SEED);
      for (let left = sized(20_000, 1_000_000); left > 0; left -= ROUND) {
        dataServer.arrived.length = 0;
        await round(requests(ROUND, next));
      }
    });
  },
);
