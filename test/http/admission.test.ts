import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { Admission } from "../../src/http/admission.ts";
import { ANONYMOUS, type mount } from "../../src/http/route.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { bareRoutes } from "./bare-server.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import { connectTo, post, requestText, startService } from "./service-kit.ts";

const HOT = "/access/v1/check";
const CHECK = {
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
};
const SIMULATION = { ...CHECK, policies: [] };

/** Decisions that end when the test says so. */
function gate() {
  const waiting: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    open: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** A server with routes of its own and so many places. */
async function serving(queue: number, api: Parameters<typeof mount>[0], routes: Parameters<typeof mount>[1]) {
  const counters = createHttpCounters();
  const managed = bareRoutes(routes, { api, counters, limits: { ...DEFAULT_LIMITS, queue } });
  const url = await managed.listen({ host: "127.0.0.1", port: 0 });
  return { url, token: "any", counters, close: () => managed.close() };
}

describe("under overload", () => {
  it("requests beyond the queue are 503 with Retry-After, and bulk ones are refused first", async () => {
    const held = gate();
    const service = await startService({
      limits: { queue: 4, bulkConcurrency: 1 },
      around: (decisions) => ({
        ...decisions,
        check: async (request) => {
          await held.wait();
          return decisions.check(request);
        },
        simulate: async (simulation) => {
          await held.wait();
          return decisions.simulate(simulation);
        },
      }),
    });
    const bulk = [
      post(service, "/access/v1/simulate", SIMULATION),
      post(service, "/access/v1/simulate", SIMULATION),
    ];
    await expect.poll(() => service.counters.inFlight).toBe(2);
    await expect.poll(() => service.counters.queueLength).toBe(1);
    const refusedBulk = await post(service, "/access/v1/simulate", SIMULATION);
    expect([refusedBulk.status, refusedBulk.headers.get("retry-after")]).toEqual([503, "1"]);
    const hot = [post(service, HOT, CHECK), post(service, HOT, CHECK)];
    await expect.poll(() => service.counters.inFlight).toBe(4);
    const refusedHot = await post(service, HOT, CHECK);
    expect([refusedHot.status, refusedHot.body]).toEqual([
      503,
      { message: "too many requests at once, try again" },
    ]);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    held.open();
    expect((await Promise.all(hot)).map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => held.waiting).toBe(1);
    held.open();
    expect((await Promise.all(bulk)).map(({ status }) => status)).toEqual([200, 200]);
    expect([service.counters.inFlight, service.counters.queueLength]).toEqual([0, 0]);
    await service.close();
  });

  it("the work for a caller who goes while the call is authorized does not begin", async () => {
    const held = gate();
    const seen: string[] = [];
    const service = await serving(4, { authenticate: () => ANONYMOUS }, [
      {
        method: "POST",
        path: "/change",
        priority: "hot",
        body: { maxBytes: 100 },
        authorizesBody: true,
        authorize: async () => {
          await held.wait();
          seen.push("authorized");
        },
        handle: async () => {
          seen.push("changed");
          return { status: 204 };
        },
      },
    ]);
    const socket = connectTo(service.url);
    socket.write(requestText(service, "/change", "{}"));
    await expect.poll(() => held.waiting).toBe(1);
    socket.destroy();
    await service.close();
    held.open();
    await expect.poll(() => seen).toContain("authorized");
    await new Promise(setImmediate);
    expect(seen).toEqual(["authorized"]);
  });

  it("a caller that goes away gives its place back, wherever it waited", async () => {
    const held = gate();
    const service = await startService({
      limits: { queue: 4, bulkConcurrency: 1 },
      around: (decisions) => ({
        ...decisions,
        simulate: async (simulation) => {
          await held.wait();
          return decisions.simulate(simulation);
        },
      }),
    });
    const body = JSON.stringify(SIMULATION);
    const sockets = [0, 1].map(() => connectTo(service.url));
    for (const socket of sockets) socket.write(requestText(service, "/access/v1/simulate", body));
    const unfinished = connectTo(service.url);
    unfinished.write(requestText(service, HOT, "{}").slice(0, -1));
    // A body that has not arrived takes memory, and no place.
    await expect.poll(() => service.counters.bodyBytes).toBeGreaterThan(0);
    await expect.poll(() => service.counters.inFlight).toBe(2);
    await expect.poll(() => service.counters.queueLength).toBe(1);
    unfinished.destroy();
    sockets[1]?.destroy();
    await expect.poll(() => [service.counters.inFlight, service.counters.queueLength]).toEqual([1, 0]);
    sockets[0]?.destroy();
    await expect.poll(() => service.counters.inFlight).toBe(0);
    const next = post(service, "/access/v1/simulate", SIMULATION);
    await expect.poll(() => service.counters.queueLength).toBe(1);
    held.open();
    await expect.poll(() => held.waiting).toBe(1);
    held.open();
    expect((await next).status).toBe(200);
    expect(service.log.failures).toEqual([]);
    await service.close();
  });

  it("a bulk request that does not get its turn in time is 503", async () => {
    const held = gate();
    const service = await startService({
      limits: { queue: 10, bulkConcurrency: 1, requestTimeoutMs: 250 },
      around: (decisions) => ({ ...decisions, filter: () => held.wait().then(() => []) }),
    });
    const body = { user: "alice", action: "a:b", resources: ["x"] };
    const answers = await Promise.all([
      post(service, "/access/v1/filter", body),
      post(service, "/access/v1/filter", body),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    held.open();
    await service.close();
  });
});

it("requests that come together need one place where each is answered at once", async () => {
  const common = { path: "/quick", priority: "hot", handle: () => ({ status: 204 }) } as const;
  const service = await serving(1, { authenticate: () => ANONYMOUS }, [
    { ...common, method: "GET" },
    { ...common, method: "POST", body: { maxBytes: 100 } },
  ]);
  for (const request of ["GET /quick HTTP/1.1\r\nHost: test\r\n\r\n", requestText(service, "/quick", "{}")]) {
    const sockets = Array.from({ length: 30 }, () => connectTo(service.url));
    // The first requests come one by one, as connections are accepted.
    for (let round = 0; round < 2; round++) {
      const answers = sockets.map((socket) => once(socket, "data"));
      for (const socket of sockets) socket.write(request);
      for (const [bytes] of await Promise.all(answers)) expect(String(bytes)).toMatch(/^HTTP\/1\.1 204 /);
    }
    for (const socket of sockets) socket.destroy();
  }
  await service.close();
});

describe("callers whom it takes time to know", () => {
  it("are never more than there are places, and hold none while their bodies are awaited", async () => {
    const held = gate();
    const service = await serving(4, { authenticate: () => held.wait().then(() => ANONYMOUS) }, [
      {
        method: "POST",
        path: "/slow",
        priority: "bulk",
        body: { maxBytes: 100 },
        handle: () => ({ status: 204 }),
      },
    ]);
    const { counters } = service;
    const sockets = [0, 1].map(() => connectTo(service.url));
    for (const socket of sockets) socket.write(requestText(service, "/slow", "{}").slice(0, -1));
    await expect.poll(() => held.waiting).toBe(2);
    expect((await post(service, "/slow", {})).status).toBe(503);
    held.open();
    await expect.poll(() => counters.inFlight).toBe(0);
    const answers = sockets.map((socket) => once(socket, "data"));
    for (const socket of sockets) socket.write("}");
    for (const [bytes] of await Promise.all(answers)) expect(String(bytes)).toMatch(/^HTTP\/1\.1 204 /);
    expect(counters.inFlight).toBe(0);
    for (const socket of sockets) socket.destroy();
    await service.close();
  });
});

describe("admission", () => {
  it("runs the bulk tasks of a caller first come, first served", async () => {
    const admission = new Admission({ queue: 10, bulkConcurrency: 2 });
    const order: number[] = [];
    await admission.acquire("one");
    await admission.acquire("one");
    const tasks = [1, 2, 3].map((number) => admission.acquire("one").then(() => order.push(number)));
    for (const [index, task] of tasks.entries()) {
      admission.release("one");
      await task;
      expect(order).toEqual([1, 2, 3].slice(0, index + 1));
    }
  });

  it("gives the next place to the caller that runs least, and of several to the one that waits longest", async () => {
    const admission = new Admission({ queue: 100, bulkConcurrency: 2 });
    const order: string[] = [];
    const start = (caller: string) => admission.acquire(caller).then(() => order.push(caller));
    const asked = ["many", "many", "many", "many", "many", "few", "other", "few"];
    const tasks = asked.map(start);
    await tasks[0];
    // Whatever "many" sends, "few" and "other" are served long before its last task.
    for (const ended of ["many", "many", "few", "other", "few", "many"]) {
      admission.release(ended);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(order).toEqual(["many", "many", "few", "many", "other", "few", "many", "many"]);
  });

  it("leaves places in the queue to others, whatever one caller sends", async () => {
    const admission = new Admission({ queue: 16, bulkConcurrency: 1 });
    void admission.acquire("many");
    let waiting = 0;
    for (; admission.mayWait("many"); waiting++) void admission.acquire("many");
    expect(waiting).toBe(4);
    expect(admission.mayWait("few")).toBe(true);
    void admission.acquire("few");
    void admission.acquire("few");
    expect([admission.mayWait("few"), admission.mayWait("other")]).toEqual([false, true]);
  });

  it("forgets who stopped waiting", async () => {
    const gauges = { inFlight: 0, queueLength: 0 };
    const admission = new Admission({ queue: 10, bulkConcurrency: 1 }, gauges);
    await admission.acquire("one");
    const gone = new AbortController();
    const waiting = admission.acquire("other", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(admission.acquire("other", gone.signal)).rejects.toThrow("gone");
    admission.release("one");
    await admission.acquire("one");
    expect(gauges.queueLength).toBe(0);
  });
});

it("a connection reset in the middle of a body leaves nothing behind", async () => {
  const service = await startService();
  for (let round = 0; round < 20; round++) {
    const socket = connectTo(service.url);
    await once(socket, "connect");
    socket.write(requestText(service, round % 2 === 0 ? HOT : "/access/v1/simulate", "{}").slice(0, -1));
    if (round % 3 === 0) await expect.poll(() => service.counters.bodyBytes).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await expect.poll(() => service.counters.bodyBytes).toBe(0);
  }
  expect(service.counters.inFlight).toBe(0);
  expect(service.log.failures).toEqual([]);
  expect((await post(service, "/access/v1/simulate", SIMULATION)).status).toBe(200);
  await service.close();
});
