/** A data server that answers before it has all of an upload (spec/exchange §6). */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { PROXY_TOKEN, startExchange } from "../start-exchange.ts";
import { uploadOf } from "./uploads.ts";

const CONTENT = randomBytes(6_000);

/** A data server that answers once it has the beginning of an upload, and keeps the connection. */
async function hasty(status: string) {
  const open = new Set<Socket>();
  let answered = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", () => {
      answered += 1;
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 4\r\n\r\ndone`);
      socket.resume();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { open, answered: () => answered, port: (server.address() as AddressInfo).port };
}

/** Sends all of an upload but the end of the request: the listener holds back what it reads last, and sends on the rest. */
async function withoutEnd(url: string): Promise<ClientRequest> {
  const { method, uri, headers, parts } = uploadOf("writer", CONTENT, { chunk: 2_000 });
  const { hostname, port } = new URL(url);
  const sent = httpRequest({
    ...{ hostname, port, method, path: uri, setHost: false },
    headers: ["x-svc-proxy-token", PROXY_TOKEN, "transfer-encoding", "chunked", ...headers.flat()],
  } as never);
  sent.on("error", () => undefined);
  sent.write(Buffer.concat(parts.slice(0, 1)));
  await new Promise((resolve) => setTimeout(resolve, 200));
  sent.write(Buffer.concat(parts.slice(1)));
  return sent;
}

it.each([
  ["200 OK", 400],
  ["403 Forbidden", 403],
])("whose answer is %s: the client reads %i", async (status, expected) => {
  const dataServer = await hasty(status);
  const authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
  });
  onTestFinished(() => authorizer.close());
  const sent = await withoutEnd(authorizer.streamingUrl as string);
  const response = once(sent, "response");
  await expect.poll(dataServer.answered).toBe(1);
  // The answer is on its way; nothing tells when the listener has read it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  sent.end();
  const [answer] = (await response) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(expected);
  await expect.poll(() => dataServer.open.size).toBe(0);
});
