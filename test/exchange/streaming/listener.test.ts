import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ask } from "../../api/forward-auth/ask.ts";
import { freePort } from "../../free-port.ts";
import { type OneKeyServer, SERVER_KEY, startOneKeyServer } from "../one-key-server.ts";
import { PROXY_TOKEN, S3_DOMAIN, signedBy, startExchange } from "../start-exchange.ts";
import { send, uploadOf } from "./uploads.ts";

const CONTENT = randomBytes(100_000);

let dataServer: OneKeyServer;
let authorizer: TestAuthorizer;
let url: string;
const streaming = (port: number) => ({
  "authorizer.exchange.streaming_address": "127.0.0.1:0",
  "authorizer.exchange.upstream": `http://127.0.0.1:${port}`,
});
beforeAll(async () => {
  dataServer = await startOneKeyServer();
  authorizer = await startExchange("nginx", streaming(dataServer.port));
  url = authorizer.streamingUrl as string;
});
afterAll(async () => {
  await authorizer?.close();
  await dataServer?.close();
});
beforeEach(() => {
  dataServer.arrived.length = 0;
});

describe("the streaming listener (spec/exchange §6)", () => {
  it.each([undefined, "x-amz-checksum-crc32", "x-amz-checksum-crc32c", "x-amz-checksum-sha256"])(
    "unwraps a body that is signed in chunks, with the trailer %s, and signs the request with the one key",
    async (trailer) => {
      const upload = uploadOf("writer", CONTENT, { trailer, headers: { "x-amz-meta-a": "b" } });
      const { status, headers, text } = await send(url, upload);
      expect([status, text]).toEqual([200, ""]);
      expect(headers.etag).toBe('"e"');
      expect(headers["x-svc-position"]).toBeUndefined();
      const [arrived, another] = dataServer.served;
      expect(another).toBeUndefined();
      expect(arrived?.body.equals(CONTENT)).toBe(true);
      expect(arrived?.headers).toMatchObject({
        "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
        "content-length": String(CONTENT.length),
        "x-amz-meta-a": "b",
        "x-svc-user": "writer",
        host: S3_DOMAIN,
      });
      for (const name of [
        "content-encoding",
        "x-amz-trailer",
        "x-amz-decoded-content-length",
        "x-svc-proxy-token",
      ]) {
        expect(arrived?.headers[name]).toBeUndefined();
      }
    },
  );

  it("keeps another encoding of the content, and the part of a multipart upload", async () => {
    const upload = uploadOf("writer", CONTENT, {
      uri: "/data/main/a%20b?partNumber=1&uploadId=u",
      headers: { "content-encoding": "gzip,aws-chunked" },
    });
    expect((await send(url, upload)).status).toBe(200);
    expect(dataServer.served[0]).toMatchObject({
      target: upload.uri,
      headers: { "content-encoding": "gzip" },
    });
  });

  it("takes a body of no bytes, and one of a single byte", async () => {
    for (const content of [Buffer.alloc(0), Buffer.from("a")]) {
      expect((await send(url, uploadOf("writer", content))).status).toBe(200);
    }
    expect(dataServer.served.map(({ body }) => body.length)).toEqual([0, 1]);
  });

  it("asks for a body that waits to be asked for", async () => {
    expect((await send(url, uploadOf("writer", CONTENT), { expect: "100-continue" })).status).toBe(200);
    expect(dataServer.served).toHaveLength(1);
  });

  it.each([
    ["another user's repository", "other", {}, 403, "AccessDenied"],
    ["a hook", "data/main/_lakefs_actions", {}, 403, "hooks"],
    ["no proxy token", "data", { "x-svc-proxy-token": undefined }, 403, "proxy token"],
    ["another proxy token", "data", { "x-svc-proxy-token": "x".repeat(48) }, 403, "proxy token"],
    ["a forged identity", "other", { "x-svc-user": "administrator" }, 403, "AccessDenied"],
    ["a forged pass", "other", { "x-svc-upstream-authorization": "Basic eA==" }, 403, "AccessDenied"],
    ["a changed length", "data", { "x-amz-decoded-content-length": "1" }, 403, "SignatureDoesNotMatch"],
    ["a changed form", "data", { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }, 403, "chunks"],
    ["a header that is not signed", "data", { "x-amz-copy-source": "/other/main/a" }, 403, "must be signed"],
  ] as const)("refuses %s, and sends nothing on", async (_what, folder, change, expected, why) => {
    const { status, text } = await send(
      url,
      uploadOf("writer", CONTENT, { uri: `/${folder}/main/a` }),
      change,
    );
    expect(status).toBe(expected);
    expect(text).toContain(why);
    expect(text).toMatch(/^<\?xml/);
    expect(dataServer.arrived).toEqual([]);
  });

  it("refuses requests without a body in chunks, whoever sends them", async () => {
    const { headers } = signedBy("administrator", "GET", "/data/main/a");
    const answer = await ask(url, "/data/main/a", [["x-svc-proxy-token", PROXY_TOKEN], ...headers]);
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("chunks") });
    expect(dataServer.arrived).toEqual([]);
  });

  it("answers 502 where the data server is away, and passes its refusals on", async () => {
    const away = await startExchange("nginx", streaming(await freePort()));
    onTestFinished(() => away.close());
    const { status, text } = await send(away.streamingUrl as string, uploadOf("writer", CONTENT));
    expect([status, text]).toEqual([502, expect.stringContaining("<Code>ServiceUnavailable</Code>")]);
    // A region that the data server's signature is not made for: the stand-in refuses it.
    const other = await startExchange("nginx", {
      ...streaming(dataServer.port),
      "authorizer.exchange.secret_access_key": "another-secret-than-that-of-the-data-server",
    });
    onTestFinished(() => other.close());
    const refused = await send(other.streamingUrl as string, uploadOf("writer", CONTENT));
    expect(refused).toMatchObject({ status: 403, text: "refused by the data server" });
  });

  it("cuts the request to the data server when the client goes away", async () => {
    const upload = uploadOf("writer", CONTENT);
    const body = Buffer.concat(upload.parts);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const headers = [
      ...upload.headers,
      ["x-svc-proxy-token", PROXY_TOKEN],
      ["content-length", String(body.length)],
    ];
    const head = headers.map(([name, value]) => `${name}: ${value}`);
    socket.write([`PUT ${upload.uri} HTTP/1.1`, ...head, "", ""].join("\r\n"));
    socket.write(body.subarray(0, 60_000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.destroy();
    await once(socket, "close");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(dataServer.arrived).toEqual([]);
    expect(dataServer.cut).toBeGreaterThan(0);
  });

  it("gives up a client that sends nothing for a while", async () => {
    const short = await startExchange("nginx", {
      ...streaming(dataServer.port),
      "authorizer.limits.request_timeout": "500ms",
    });
    onTestFinished(() => short.close());
    const upload = uploadOf("writer", CONTENT);
    const { port } = new URL(short.streamingUrl as string);
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      answer += piece;
    });
    const headers = [...upload.headers, ["x-svc-proxy-token", PROXY_TOKEN], ["content-length", "200000"]];
    socket.write(
      [`PUT ${upload.uri} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), "", ""].join(
        "\r\n",
      ),
    );
    socket.write(Buffer.concat(upload.parts).subarray(0, 50_000));
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain("RequestTimeout");
    expect(dataServer.arrived).toEqual([]);
  });

  it("writes one record in the decision log for each request", async () => {
    const folder = mkdtempSync(join(tmpdir(), "streaming-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = join(folder, "audit");
    const logging = await startExchange("nginx", {
      ...streaming(dataServer.port),
      "authorizer.audit.output": log,
      "authorizer.audit.decisions": "all",
    });
    await send(logging.streamingUrl as string, uploadOf("writer", CONTENT));
    await send(logging.streamingUrl as string, uploadOf("writer", CONTENT, { uri: "/other/main/a" }));
    await logging.close();
    const decisions = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes('"PutObject"'));
    expect(decisions).toHaveLength(2);
    expect(decisions.join()).not.toContain(SERVER_KEY.secret);
  });

  it("forward-auth lets such a request pass without a credential, for a proxy that asks all the same", async () => {
    const { uri, headers } = uploadOf("writer", CONTENT);
    const answer = await ask(authorizer.url, "/forward-auth", [
      ["host", "authorizer"],
      ["x-svc-proxy-token", PROXY_TOKEN],
      ["x-original-method", "PUT"],
      ["x-original-uri", uri],
      ["x-original-host", S3_DOMAIN],
      ...headers.filter(([name]) => name !== "host"),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers["x-svc-upstream-authorization"]).toBeUndefined();
  });
});
