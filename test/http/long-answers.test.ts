/** Long answers, which are written in turns with other work (spec/security §5.3). */

import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { bareRoutes } from "./bare-server.ts";
import { connectTo, MemoryLog, raw, readToEnd } from "./service-kit.ts";

/** Characters of two units at odd places, so that some piece would end within one. */
const TEXTS = {
  "/ascii": "0123456789".repeat(100_000),
  "/accents": "é1234567".repeat(100_000),
  "/pairs": `x${"😀".repeat(300_000)}`,
  "/short": "done",
};

const counters = createHttpCounters();
const log = new MemoryLog(false);
const routes = Object.entries(TEXTS).map(([path, body]) => ({
  method: "GET" as const,
  path,
  priority: "hot" as const,
  handle: () => ({ status: 200, body, type: "text/plain; charset=utf-8" }),
}));
const managed = bareRoutes(routes, { counters, log });
let url: string;
beforeAll(async () => {
  url = await managed.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => managed.close());

it.each(Object.entries(TEXTS))("%s arrives whole", async (path, text) => {
  const answer = await fetch(url + path);
  expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(text));
  expect((await answer.text()) === text).toBe(true);
});

it("requests ahead are answered in their order", async () => {
  const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: test\r\n${more}\r\n`;
  const text = await raw(url, get("/ascii") + get("/short") + get("/ascii", "Connection: close\r\n"));
  const bodies = text.split("\r\n\r\n").slice(1);
  expect(bodies.map((body) => body.slice(0, 4))).toEqual(["0123", "done", "0123"]);
});

it("a caller who does not read is waited for, and one who leaves is let go", async () => {
  const socket = connectTo(url);
  await once(socket, "connect");
  socket.pause();
  for (let ahead = 0; ahead < 20; ahead++) socket.write("GET /pairs HTTP/1.1\r\nHost: test\r\n\r\n");
  const other = connectTo(url);
  other.write("GET /pairs HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
  expect((await readToEnd(other)).length).toBeGreaterThan(300_000);
  socket.destroy();
  await expect.poll(() => counters.inFlight).toBe(0);
  expect((await fetch(`${url}/short`)).status).toBe(200);
  expect(log.failures).toEqual([]);
});
