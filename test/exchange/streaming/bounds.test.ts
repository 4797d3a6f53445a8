/** Bounds of the streaming listener, for one user and for odd requests (spec/security §5.3, spec/exchange §6). */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ask } from "../../api/forward-auth/ask.ts";
import { type OneKeyServer, startOneKeyServer } from "../one-key-server.ts";
import { PROXY_TOKEN, signedBy, startExchange } from "../start-exchange.ts";
import { send, type Upload, uploadOf } from "./uploads.ts";

const CONTENT = randomBytes(100_000);

/** Begins an upload and sends a part of it. */
async function begin(url: string, upload: Upload): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const headers = [...upload.headers, ["x-svc-proxy-token", PROXY_TOKEN], ["content-length", "200000"]];
  const head = headers.map(([name, value]) => `${name}: ${value}`);
  socket.on("error", () => undefined).resume();
  socket.write([`PUT ${upload.uri} HTTP/1.1`, ...head, "", ""].join("\r\n"));
  socket.write(Buffer.concat(upload.parts).subarray(0, 50_000));
  await once(socket, "connect");
  return socket;
}

describe("the streaming listener", () => {
  let dataServer: OneKeyServer;
  let authorizer: TestAuthorizer;
  let url: string;
  beforeAll(async () => {
    dataServer = await startOneKeyServer();
    authorizer = await startExchange("nginx", {
      "authorizer.exchange.streaming_address": "127.0.0.1:0",
      "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
      "authorizer.limits.queue": 4,
    });
    url = authorizer.streamingUrl as string;
  });
  afterAll(async () => {
    await authorizer?.close();
    await dataServer?.close();
  });
  beforeEach(() => {
    dataServer.arrived.length = 0;
  });

  it("gives one user half of its places, so that slow uploads keep nobody else out", async () => {
    const slow = await Promise.all([
      begin(url, uploadOf("writer", CONTENT)),
      begin(url, uploadOf("writer", CONTENT)),
    ]);
    await vi.waitFor(async () => {
      const { status, text } = await send(url, uploadOf("writer", CONTENT));
      expect([status, text]).toEqual([503, expect.stringContaining("ServiceUnavailable")]);
    }, 60_000);
    expect((await send(url, uploadOf("administrator", CONTENT))).status).toBe(200);
    for (const socket of slow) socket.destroy();
    // The places are free again when their uploads are over.
    await expect.poll(async () => (await send(url, uploadOf("writer", CONTENT))).status).toBe(200);
  });

  it("tells strangers nothing of the log, and waits for no revision that they name", async () => {
    for (const asked of ["x-svc-min-revision", "x-svc-min-position"]) {
      const token = ["x-svc-proxy-token", PROXY_TOKEN] as const;
      const answer = await ask(url, "/api/v1/repositories", [
        ["host", "a"],
        token,
        [asked, "999999999.00000000"],
      ]);
      expect(answer.status).toBe(401);
      expect(answer.body).not.toMatch(/log|revision/);
    }
  });

  it.each(["GET", "HEAD", "DELETE"])("sends no %s on, whose answer may be a whole object", async (method) => {
    const { uri, headers } = signedBy("writer", method, "/data/main/a", {
      headers: {
        "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "x-amz-decoded-content-length": "0",
      },
    });
    const answer = await ask(url, uri, [["x-svc-proxy-token", PROXY_TOKEN], ...headers], method);
    expect(answer.status).toBe(403);
    expect(dataServer.arrived).toEqual([]);
  });

  it("tells what is wrong with a body also where the bucket is called api", async () => {
    const upload = uploadOf("administrator", CONTENT, { uri: "/api/main/a" });
    const damaged = upload.parts.map((part) => Buffer.from(part));
    damaged[0]?.write("f".repeat(64), damaged[0].indexOf("=") + 1);
    const { status, text } = await send(url, { ...upload, parts: damaged });
    expect([status, text]).toEqual([403, expect.stringContaining("<Code>SignatureDoesNotMatch</Code>")]);
    expect(dataServer.arrived).toEqual([]);
  });
});

it("the streaming listener keeps no connection to a data server that refused before the end of a body", async () => {
  const open = new Set<Socket>();
  const refusing = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", () => socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"));
    socket.resume();
  });
  refusing.listen(0, "127.0.0.1");
  await once(refusing, "listening");
  onTestFinished(() => void refusing.close());
  const authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`,
  });
  onTestFinished(() => authorizer.close());
  const answer = await send(authorizer.streamingUrl as string, uploadOf("writer", randomBytes(5_000_000)));
  expect(answer).toMatchObject({ status: 404, text: "none" });
  await expect.poll(() => open.size).toBe(0);
});
