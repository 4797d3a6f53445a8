/** The lists in nginx's configuration for a data server with one key: what passes without a decision (spec/exchange §5). */

import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missing, type ProxyProgram, startProxy } from "../gateways/proxy-program.ts";
import { type OneKeyServer, startOneKeyServer } from "./one-key-server.ts";

const COMMITS = "/api/v1/repositories/data/branches/main/commits";
const SIGNED = "AWS4-HMAC-SHA256 Credential=x";

const why = missing("nginx");

describe.skipIf(why !== undefined)(`nginx's lists${why === undefined ? "" : ` (${why})`}`, () => {
  let dataServer: OneKeyServer;
  let proxy: ProxyProgram;
  /** The request lines that the streaming listener got. */
  const streamed: string[] = [];
  const streaming = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head) => {
      streamed.push(String(head).split("\r\n", 1)[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
  });
  beforeAll(async () => {
    dataServer = await startOneKeyServer();
    streaming.listen(0, "127.0.0.1");
    await once(streaming, "listening");
    proxy = await startProxy("nginx", {
      dataServerPort: dataServer.port,
      // Nobody listens there: what is to be decided does not pass.
      authorizerPort: 1,
      userPort: 1,
      streamingPort: (streaming.address() as AddressInfo).port,
      proxyToken: "t",
      exchange: true,
    });
  });
  afterAll(async () => {
    await proxy?.close();
    await dataServer?.close();
    streaming.close();
  });
  beforeEach(() => {
    dataServer.arrived.length = 0;
    streamed.length = 0;
  });

  /** Sends a request whose target stays as it is. */
  async function ask(method: string, target: string, ...headers: readonly string[]): Promise<void> {
    const socket = connect(proxy.port, "127.0.0.1");
    socket.on("error", () => undefined).resume();
    const lines = [`${method} ${target} HTTP/1.1`, "Host: a", "Connection: close", ...headers];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await once(socket, "close");
  }

  it.each([
    ...["/", "/?a|b", "/assets/a-b.js", "/favicon.ico", "/repositories", "/auth/login?next=/x"],
    "/repositories/r/objects?path=a%2F..%2Fb&ref=main",
  ])("pass %s of the page on without a credential", async (target) => {
    await ask("GET", target, "Cookie: access_token=x");
    expect(dataServer.arrived.map((one) => one.target)).toEqual([target]);
    expect(dataServer.arrived[0]?.headers).not.toHaveProperty("cookie");
  });

  it.each([
    ...[
      "/metrics",
      "/metrics/..",
      "/metrics/../",
      "/metrics/../assets/x.js",
      "/metrics/%2e%2e/",
      "/metrics//..",
    ],
    ...["/_pprof/heap/../../assets/x", "/metrics%2f..%2fassets/x", "/openapi.json/../repositories"],
    ...["/assets/../metrics", "http://a/metrics/../", "/api/v1/repositories/../../../repositories"],
    ...["/metrics/..%2F%7C%7C", "/repositories?X-Amz-Signature=x"],
  ])("do not pass %s on", async (target) => {
    await ask("GET", target);
    await ask("GET", target, "Authorization: |GET /");
    await ask("GET", target, "Authorization: |GET /?");
    expect(dataServer.arrived).toEqual([]);
  });

  it("pass no page on with a credential, whatever it looks like", async () => {
    for (const text of ["Basic eDp5", "|GET /", "|", "x||"]) await ask("GET", "/", `Authorization: ${text}`);
    await ask("GET", "/%7C%7C", "Authorization: Basic eDp5");
    await ask("POST", "/", "Content-Length: 0");
    expect(dataServer.arrived).toEqual([]);
  });

  it("lead what gets a name to the listener, whatever other headers say", async () => {
    const none = "Content-Length: 0";
    for (const text of ["x", "a|b", "|", "1|", "|GET|/|"]) {
      await ask("POST", COMMITS, none, `X-Amz-Content-Sha256: ${text}`, "Authorization: |x");
      await ask("GET", "/", `X-Amz-Content-Sha256: ${text}`, `Authorization: ${SIGNED}`);
    }
    const pair = [`POST ${COMMITS} HTTP/1.1`, "GET / HTTP/1.1"];
    expect(streamed).toEqual([pair, pair, pair, pair, pair].flat());
    expect(dataServer.arrived).toEqual([]);
  });
});
