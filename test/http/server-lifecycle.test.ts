import { once } from "node:events";
import { Agent, request } from "node:http";
import { request as tlsRequest } from "node:https";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, it, vi } from "vitest";
import { Admission } from "../../src/http/admission.ts";
import { answer } from "../../src/http/answer.ts";
import { createManagedServer, type ManagedServerOptions } from "../../src/http/server/server-lifecycle.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { selfSigned } from "./certificate.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import {
  connectTo,
  MemoryLog,
  post,
  readToEnd,
  requestText,
  startService,
  type TestService,
} from "./service-kit.ts";

const HOT = "/access/v1/check";
const CHECK = {
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
};
const TEXT = JSON.stringify(CHECK);

const OPTIONS: ManagedServerOptions = {
  admission: new Admission(DEFAULT_LIMITS),
  counters: createHttpCounters(),
  limits: DEFAULT_LIMITS,
  log: new MemoryLog(false),
  handler: ({ response }) => {
    response.end("ok");
  },
};

it("answers 500 where a handler throws, with an id that is in the log, and goes on", async () => {
  const log = new MemoryLog(false);
  const managed = createManagedServer({
    ...OPTIONS,
    log,
    handler: ({ request, response }) => {
      if (request.url === "/fails") throw new TypeError("topsecret of undefined");
      response.end("ok");
    },
  });
  const url = await managed.listen({ host: "127.0.0.1", port: 0 });
  for (const headers of [{}, { expect: "100-continue", "content-length": "2" }]) {
    const failing = request(`${url}/fails`, { method: "POST", headers });
    failing.on("continue", () => failing.end("{}"));
    failing.flushHeaders();
    if (!("expect" in headers)) failing.end();
    const [answered] = await once(failing, "response");
    const text = (await answered.toArray()).join("");
    const id = log.failures.at(-1)?.error_id;
    expect([answered.statusCode, JSON.parse(text)]).toEqual([500, { message: `internal error ${id}` }]);
    failing.destroy();
  }
  expect(await (await fetch(url)).text()).toBe("ok");
  await managed.close();
});

describe("listening", () => {
  it.each([
    ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
    ["::1", /^http:\/\/\[::1\]:\d+$/],
    ["localhost", /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
    ["", /^http:\/\/(0\.0\.0\.0|\[::\]):\d+$/],
  ])("on %j tells the real address", async (host, url) => {
    const managed = createManagedServer(OPTIONS);
    expect(await managed.listen({ host, port: 0 })).toMatch(url);
    await managed.close();
  });

  it("on a busy port fails with its code, and can be tried again", async () => {
    const other = createServer();
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const managed = createManagedServer(OPTIONS);
    await expect(managed.listen({ host: "127.0.0.1", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(await managed.listen({ host: "127.0.0.1", port: 0 })).toMatch(/^http:/);
    await managed.close();
    other.close();
  });

  it("keeps connections alive for 95 s", async () => {
    const managed = createManagedServer({ ...OPTIONS, handler: (exchange) => answer(exchange, "{}") });
    const response = await fetch(await managed.listen({ host: "127.0.0.1", port: 0 }));
    expect(response.headers.get("keep-alive")).toBe("timeout=95");
    await response.text();
    await managed.close();
  });

  it("closes connections that were idle for longer, and no others", async () => {
    const managed = createManagedServer({
      ...OPTIONS,
      limits: { ...DEFAULT_LIMITS, requestTimeoutMs: 200 },
      handler: (exchange) => answer(exchange, "{}"),
    });
    const url = await managed.listen({ host: "127.0.0.1", port: 0 });
    const socket = connectTo(url);
    const sent = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.write(sent);
    await once(socket, "data");
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now");
    clock.mockImplementation(() => now() + 90_000);
    await setTimeout(300);
    expect(socket.readyState).toBe("open");
    clock.mockImplementation(() => now() + 100_000);
    await once(socket, "close");
    clock.mockRestore();
    await managed.close();
  });

  it("is over after close, also when it never began or is closed twice", async () => {
    const managed = createManagedServer(OPTIONS);
    const url = await managed.listen({ host: "127.0.0.1", port: 0 });
    await Promise.all([managed.close(), managed.close()]);
    await managed.close();
    await expect(fetch(url)).rejects.toThrow();
    await createManagedServer(OPTIONS).close();
  });
});

/** A service whose checks take a moment. */
function slowService(milliseconds: number): Promise<TestService> {
  return startService({
    around: (decisions) => ({
      ...decisions,
      check: async (asked) => {
        await setTimeout(milliseconds);
        return decisions.check(asked);
      },
    }),
  });
}

describe("closing", () => {
  it("finishes what is in flight, with Connection: close", async () => {
    const service = await slowService(300);
    const socket = connectTo(service.url);
    socket.write(requestText(service, HOT, TEXT));
    await expect.poll(() => service.counters.inFlight).toBe(1);
    const closing = service.close();
    const text = await readToEnd(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain("Connection: close");
    await closing;
  });

  it("answers a request that comes on an idle connection just then, and accepts no new one", async () => {
    const service = await startService();
    const socket = connectTo(service.url);
    socket.write(requestText(service, HOT, TEXT));
    await once(socket, "data");
    const closing = service.close();
    socket.write(requestText(service, HOT, TEXT));
    const fresh = fetch(`${service.url}/healthz`);
    await expect(fresh).rejects.toThrow();
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 .*Connection: close/s);
    await closing;
  });

  it("finishes a body that is still coming", async () => {
    const service = await startService();
    const socket = connectTo(service.url);
    const bytes = requestText(service, HOT, TEXT);
    socket.write(bytes.slice(0, -5));
    await expect.poll(() => service.counters.bodyBytes).toBeGreaterThan(0);
    const closing = service.close();
    await setTimeout(500);
    socket.write(bytes.slice(-5));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 /);
    await closing;
  });

  it("closes idle and silent connections soon", async () => {
    const service = await startService();
    const idle = connectTo(service.url);
    idle.write(requestText(service, HOT, TEXT));
    await once(idle, "data");
    const silent = connectTo(service.url);
    await once(silent, "connect");
    const half = connectTo(service.url);
    half.write("POST / HTTP/1.1\r\n");
    await setTimeout(50);
    const began = performance.now();
    await service.close();
    // They may stay open for 95 seconds otherwise.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("cuts no request under load", async () => {
    const service = await startService();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const seen = { ok: 0, cut: 0, refused: 0 };
    const closing = { begun: false };
    const one = () =>
      new Promise<void>((resolve) => {
        const sent = request(service.url + HOT, {
          method: "POST",
          agent,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(TEXT),
            authorization: `Bearer ${service.token}`,
          },
        });
        sent.on("response", (response) => {
          if (response.statusCode === 200) seen.ok++;
          response.resume().on("end", resolve);
        });
        sent.on("error", (error: NodeJS.ErrnoException) => {
          if (error.code === "ECONNREFUSED" && closing.begun) seen.refused++;
          else seen.cut++;
          resolve();
        });
        sent.end(TEXT);
      });
    const caller = async () => {
      while (seen.refused === 0 && seen.cut === 0) await one();
    };
    const callers = Array.from({ length: 16 }, caller);
    await expect.poll(() => seen.ok).toBeGreaterThan(50);
    closing.begun = true;
    await service.close();
    await Promise.all(callers);
    agent.destroy();
    expect(seen.cut).toBe(0);
  });
});

describe("TLS", () => {
  const first = selfSigned("first");
  const second = selfSigned("second");

  async function nameShown(url: string): Promise<string> {
    const socket = tlsConnect({
      port: Number(new URL(url).port),
      host: "127.0.0.1",
      rejectUnauthorized: false,
    });
    await once(socket, "secureConnect");
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return String(name);
  }

  it("serves decisions, from version 1.2 on, and other certificates when they are replaced", async () => {
    const service = await startService({ tls: first });
    expect(service.url).toMatch(/^https:/);
    const sent = tlsRequest(service.url + HOT, {
      method: "POST",
      ca: first.cert,
      headers: { "content-type": "application/json", authorization: `Bearer ${service.token}` },
    });
    sent.end(TEXT);
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await nameShown(service.url)).toBe("first");
    service.listener.replaceTls(second);
    expect(await nameShown(service.url)).toBe("second");
    expect(() => service.listener.replaceTls({ cert: "x", key: "y" })).toThrow();
    expect(await nameShown(service.url)).toBe("second");
    const old = tlsConnect({
      port: Number(new URL(service.url).port),
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
      rejectUnauthorized: false,
    });
    await expect(once(old, "secureConnect")).rejects.toThrow();
    await service.close();
  });

  it("asks for a client's certificate where an authority is given", async () => {
    const service = await startService({ tls: { ...first, clientCa: second.cert } });
    const answer = (client: object) =>
      new Promise<number | undefined>((resolve) => {
        const sent = tlsRequest(`${service.url}/healthz`, { ca: first.cert, agent: false, ...client });
        sent.on("response", (response) => resolve(response.resume().statusCode));
        sent.on("error", () => resolve(undefined));
        sent.end();
      });
    expect(await answer({})).toBeUndefined();
    expect(await answer(first)).toBeUndefined();
    expect(await answer(second)).toBe(200);
    await service.close();
  });

  it("cannot be replaced where it is off", async () => {
    const service = await startService();
    expect(() => service.listener.replaceTls(first)).toThrow("TLS is off");
    expect((await post(service, HOT, CHECK)).status).toBe(200);
    await service.close();
  });
});
