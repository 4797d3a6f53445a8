import { setTimeout } from "node:timers/promises";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import supertest from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import type { ManagedServer } from "../../src/http/server/server-lifecycle.ts";
import { Health } from "../../src/listeners/health.ts";
import { createMetricsListener } from "../../src/listeners/metrics.ts";
import { createUserListener } from "../../src/listeners/user.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import { MemoryLog } from "./service-kit.ts";

const opened: ManagedServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close()));
});

const works = async () => {};

async function userListener(checkStore: () => Promise<void>, trouble?: () => string) {
  const health = new Health({ checkStore, ...(trouble && { trouble }) });
  const log = new MemoryLog(false);
  const listener = createUserListener({
    limits: DEFAULT_LIMITS,
    health,
    log,
    counters: createHttpCounters(),
  });
  opened.push(listener);
  return { health, call: supertest(await listener.listen({ host: "127.0.0.1", port: 0 })) };
}

describe("the probes", () => {
  it("need no token: /healthz answers in every state, /readyz when the service is ready", async () => {
    const { health, call } = await userListener(works);
    for (const [state, status] of [
      ["starting", 503],
      ["ready", 200],
      ["stopping", 503],
    ] as const) {
      health.state = state;
      expect((await call.get("/healthz")).status).toBe(200);
      const ready = await call.get("/readyz");
      expect([ready.status, ready.type]).toEqual([status, "application/json"]);
      if (status === 503) expect(ready.body).toEqual({ message: "not ready", reasons: [state] });
    }
  });

  it("ask the store, and not more than once a second", async () => {
    let asked = 0;
    let works = true;
    const { health, call } = await userListener(async () => {
      asked++;
      if (!works) throw new AuthorizerError("unavailable", "topsecret host is down");
    });
    health.state = "ready";
    for (let index = 0; index < 5; index++) expect((await call.get("/readyz")).status).toBe(200);
    expect(asked).toBe(1);
    works = false;
    await setTimeout(1050);
    const down = await call.get("/readyz");
    expect([down.status, down.body]).toEqual([503, { message: "not ready", reasons: ["store unavailable"] }]);
  });

  it("name the trouble of the database: in the reasons, and with ?verbose also while the service is ready", async () => {
    let fails = false;
    const { health, call } = await userListener(
      async () => {
        if (fails) throw new AuthorizerError("stale", "topsecret host is down");
      },
      () => "The database is read-only.",
    );
    health.state = "ready";
    expect((await call.get("/readyz")).body).toEqual({ status: "ready" });
    const verbose = await call.get("/readyz?verbose");
    expect([verbose.status, verbose.body]).toEqual([
      200,
      { status: "ready", database: "The database is read-only." },
    ]);
    expect((await call.get("/readyz?x=%zz&verbose=1")).body).toEqual(verbose.body);
    fails = true;
    await setTimeout(1050);
    expect((await call.get("/readyz")).body).toEqual({
      message: "not ready",
      reasons: ["The database is read-only."],
    });
  });

  it("do not become ready while the store is asked and the service stops", async () => {
    let answer = () => {};
    const health = new Health({
      checkStore: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    health.state = "ready";
    const reasons = health.reasons();
    health.state = "stopping";
    answer();
    expect(await reasons).toEqual(["stopping"]);
  });

  it("are all that the user listener serves", async () => {
    const { call } = await userListener(works);
    for (const path of ["/", "/access/v1/check", "/api/v1/auth/users", "/metrics"]) {
      const answer = await call.get(path);
      expect([answer.status, answer.body]).toEqual([404, { message: "there is nothing at this path" }]);
      expect(answer.headers["x-powered-by"]).toBeUndefined();
      expect(answer.headers["etag"]).toBeUndefined();
    }
  });
});

describe("the metrics listener", () => {
  const TOKEN = "a token that may read metrics only".replaceAll(" ", "-");

  async function metricsListener(
    guarded: boolean,
    render = async () => ({ contentType: "text/plain; version=0.0.4", body: "up 1\n" }),
  ) {
    const log = new MemoryLog(false);
    const listener = createMetricsListener({
      limits: DEFAULT_LIMITS,
      render,
      bearer: guarded
        ? {
            tokens: [
              { name: "scraper", token: TOKEN, scopes: ["metrics"] },
              { name: "other", token: `${TOKEN}-not`, scopes: ["read"] },
            ],
          }
        : undefined,
      health: new Health({ checkStore: works }),
      log,
      counters: createHttpCounters(),
    });
    opened.push(listener);
    return { listener, log, call: supertest(await listener.listen({ host: "127.0.0.1", port: 0 })) };
  }

  it("gives the metrics without a token where only this machine reaches it", async () => {
    const { call } = await metricsListener(false);
    const answer = await call.get("/metrics");
    expect([answer.status, answer.text, answer.headers["content-type"]]).toEqual([
      200,
      "up 1\n",
      "text/plain; version=0.0.4",
    ]);
    expect((await call.head("/metrics")).status).toBe(200);
    expect((await call.post("/metrics")).status).toBe(405);
    expect((await call.get("/healthz")).status).toBe(200);
    expect((await call.get("/other")).status).toBe(404);
  });

  it("elsewhere asks for a token with scope metrics, which can be replaced", async () => {
    const { call, listener, log } = await metricsListener(true);
    const get = (token: string) => call.get("/metrics").set("Authorization", `Bearer ${token}`);
    const without = await call.get("/metrics");
    expect([without.status, without.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect((await get("x")).status).toBe(401);
    expect((await get(`${TOKEN}-not`)).body).toEqual({
      message: "this call needs a token with scope metrics",
    });
    expect((await get(TOKEN)).status).toBe(200);
    expect(log.refusals.map(({ status, path }) => [status, path])).toEqual([
      [401, "/metrics"],
      [401, "/metrics"],
      [403, "/metrics"],
    ]);
    listener.replaceTokens({ tokens: [{ name: "new", token: `${TOKEN}-new`, scopes: ["metrics"] }] });
    expect((await get(TOKEN)).status).toBe(401);
    expect((await get(`${TOKEN}-new`)).status).toBe(200);
  });

  it("tells nothing of an error inside but its id", async () => {
    const { call, log } = await metricsListener(false, () => Promise.reject(new Error("topsecret")));
    const answer = await call.get("/metrics");
    expect([answer.status, answer.body]).toEqual([
      500,
      { message: `internal error ${log.failures[0]?.error_id}` },
    ]);
  });
});
