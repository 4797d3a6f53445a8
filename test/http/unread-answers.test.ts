/** Answers that strangers do not take, and what the operating system holds of them (spec/security §5.3). */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, expect, it } from "vitest";
import { ConnectionPlaces } from "../../src/http/server/connection-places.ts";
import type { ManagedServer, TlsMaterial } from "../../src/http/server/server-lifecycle.ts";
import { bareRoutes } from "./bare-server.ts";
import { selfSigned } from "./certificate.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";

/** More than the operating system takes for one connection, and what it takes as a whole. */
const LARGE = Buffer.alloc(32 << 20);
const SMALL = Buffer.alloc(100 << 10);

const HEAD = "HTTP/1.1\r\nHost: test\r\nConnection: keep-alive\r\n\r\n";

let managed: ManagedServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await managed.close();
});

/** Starts a listener; returns how many connections are open, and its port. */
async function start(answersBytes: number, tls?: TlsMaterial) {
  const taken = { connections: 0, connectionsRefused: 0, connectionsGivenUp: 0 };
  const places = new ConnectionPlaces(
    { connections: 100, connectionsPerAddress: 100 },
    { has: () => false },
    taken,
  ).ofListener(1);
  const limits = { ...DEFAULT_LIMITS, answersBytes };
  const route = (path: string, bytes: Buffer) => ({
    method: "GET" as const,
    path,
    priority: "hot" as const,
    handle: () => ({ status: 200, bytes, type: "application/octet-stream" }),
  });
  managed = bareRoutes([route("/large", LARGE), route("/small", SMALL)], { limits, places, tls });
  const url = await managed.listen({ host: "127.0.0.1", port: 0 });
  return { taken, port: Number(new URL(url).port) };
}

async function open(port: number, isTls = false): Promise<Socket> {
  const socket = isTls
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, isTls ? "secureConnect" : "connect");
  return socket.pause();
}

it("an answer counts from its beginning: one that is never taken as a whole is never finished", async () => {
  const { taken, port } = await start(LARGE.length * 2.5);
  for (let n = 0; n < 4; n++) (await open(port)).write(`GET /large ${HEAD}`);
  await expect.poll(() => taken.connections).toBeLessThanOrEqual(2);
});

it.each([
  ["TCP", undefined],
  ["TLS", selfSigned("localhost")],
] as const)(
  "a stranger who sends ahead and takes nothing is reset, over %s: the system keeps no answers for it",
  async (_name, tls) => {
    const { taken, port } = await start(1 << 30, tls);
    const socket = await open(port, tls !== undefined);
    socket.write(`GET /small ${HEAD}`.repeat(8));
    await expect.poll(() => taken.connections).toBe(0);
    const ended = new Promise((resolve) => {
      socket.once("error", resolve).once("end", () => resolve(undefined));
    });
    socket.resume();
    expect(await ended).toMatchObject({ code: "ECONNRESET" });
  },
);
