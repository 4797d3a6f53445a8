/** Callers whose bytes never became a request that is served: they are answered, and their connections end soon, whatever they do. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { connectTo, startService } from "./service-kit.ts";

const service = await closedAfterAll(startService());

const MESSAGES = [
  ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 405],
  [
    "CONNECT behind a request",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    405,
  ],
  ["malformed bytes", "G\u0000T / HTTP/1.1\r\n\r\n", 400],
  [
    "malformed bytes behind a request",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nG\u0000T / HTTP/1.1\r\n\r\n",
    400,
  ],
] as const;

/** Sends a message on a connection that stays open when the service ends its half; resolves with what it answered. */
async function sent(message: string): Promise<{ readonly socket: Socket; readonly text: string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  // One that the service cuts is what these tests wait for.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(message);
  await expect.poll(() => text).toMatch(/Connection: close/i);
  return { socket, text };
}

it.each(MESSAGES)("%s: the connection ends, though its caller never ends it", async (_, message, status) => {
  const { socket, text } = await sent(message);
  expect(text).toContain(`HTTP/1.1 ${status} `);
  // Only a connection that the other side has closed refuses bytes.
  await expect
    .poll(() => {
      socket.write("more");
      return socket.destroyed;
    })
    .toBe(true);
});

it.each(MESSAGES)(
  "%s: a caller who resets the connection at once does the service no harm",
  async (_, message) => {
    for (let times = 0; times < 20; times++) {
      const socket = await connectTo(service.url);
      socket.on("error", () => undefined);
      socket.write(message);
      socket.write(message, () => socket.resetAndDestroy());
      await once(socket, "close");
      const { socket: answered } = await sent(message);
      answered.resetAndDestroy();
    }
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  },
);
