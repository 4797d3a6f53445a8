import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { sized } from "../proofs/size.ts";
import type { Answer } from "./call.ts";
import { connectTo, post, raw, startService } from "./service-kit.ts";

const service = await closedAfterAll(startService({ limits: { headersBytes: 8192 } }));

const RUNS = { numRuns: 250 };
const ROUTES = ["evaluation", "evaluations", "check", "filter", "simulate"].map(
  (name) => `/access/v1/${name}`,
);

const text = fc.oneof(
  fc.constantFrom(
    "alice",
    "user",
    "arn",
    "fs:ReadObject",
    "read",
    "repository",
    "open",
    "*",
    "",
    "__proto__",
    "constructor",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("\ud800", "\u0000", "a".repeat(5000), "arn:svc:fs:::repository/data"),
);

const FIELDS = [
  "subject",
  "action",
  "resource",
  "context",
  "evaluations",
  "options",
  "evaluations_semantic",
  "type",
  "id",
  "name",
  "properties",
  "user",
  "required",
  "and",
  "or",
  "any_resource",
  "explain",
  "resources",
  "ids",
  "policies",
  "cases",
  "statement",
  "effect",
  "condition",
  "list",
  "candidate",
  "replace",
  "remove",
  "evaluator",
  "__proto__",
  "toString",
];

/** Bodies that look like ours: known names, values of any type and depth. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, -1.5, 1e308),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...FIELDS), tie("value")), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
}));

const sound: Record<string, object> = {
  "/access/v1/evaluation": {
    subject: { type: "user", id: "alice" },
    action: { name: "read" },
    resource: { type: "repository", id: "open" },
  },
  "/access/v1/evaluations": {
    subject: { type: "user", id: "alice" },
    action: { name: "read" },
    evaluations: [{ resource: { type: "arn", id: "x" } }],
  },
  "/access/v1/check": { user: "alice", required: { and: [{ action: "a:b", resource: "c" }] } },
  "/access/v1/filter": { user: "alice", action: "read", type: "repository", ids: ["open"] },
  "/access/v1/simulate": { user: "alice", policies: [], required: { action: "a:b", resource: "c" } },
};

/** A sound body with one value somewhere in it replaced. */
function mutated(body: unknown, path: readonly number[], by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof body !== "object" || body === null) return by;
  if (Array.isArray(body))
    return body.map((item, index) => (index === step % body.length ? mutated(item, rest, by) : item));
  const keys = Object.keys(body);
  return Object.fromEntries(
    Object.entries(body).map(([key, item], index) => [
      key,
      index === step % keys.length ? mutated(item, rest, by) : item,
    ]),
  );
}

/** Answers are 200, or a 4xx whose JSON names what is wrong; nothing of the inside shows. */
function expectSane(answer: Answer): void {
  expect(answer.headers.get("content-type")).toMatch(/^application\/(json|x-ndjson)$/);
  expect(answer.text).not.toMatch(/node:|\.ts\b|at Object\.|TypeError/);
  if (answer.status === 200) return;
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.message.length).toBeGreaterThan(0);
}

describe("whatever is sent", () => {
  it("as a JSON body is answered or refused with its problems", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), value, async (path, body) => {
        expectSane(await post(service, path, JSON.stringify(body)));
      }),
      RUNS,
    );
  });

  it("as a sound body with one fault is answered or refused with its problems", async () => {
    const place = fc.array(fc.nat(5), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), place, value, async (path, where, by) => {
        expectSane(await post(service, path, JSON.stringify(mutated(sound[path], where, by))));
      }),
      { numRuns: sized(100, 500) },
    );
  });

  it("as bytes of a body is answered or refused", async () => {
    const types = fc.constantFrom(
      "application/json",
      "application/x-ndjson",
      "text/plain",
      "application/json;charset=x",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROUTES),
        types,
        fc.uint8Array({ maxLength: 200 }),
        async (path, type, bytes) => {
          expectSane(await post(service, path, bytes, { "content-type": type }));
        },
      ),
      RUNS,
    );
  });

  it("as path and query is answered or refused", async () => {
    const segment = fc.oneof(
      fc.constantFrom("access", "v1", "check", "..", ".", "%2e", "%", "%00", "healthz"),
      fc.webSegment(),
    );
    const query = fc.oneof(
      fc.constantFrom("", "?explain=true", "?explain", "?explain=1&explain=2", "?%", "??", "?__proto__=1"),
      fc.webQueryParameters().map((text) => `?${text}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 4 }), query, async (segments, parameters) => {
        expectSane(await post(service, `/${segments.join("/")}${parameters}`, "{}"));
      }),
      RUNS,
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), query, async (path, parameters) => {
        expectSane(await post(service, path + parameters, sound[path]));
      }),
      RUNS,
    );
  });

  it("as headers is answered or refused", async () => {
    const names = fc.constantFrom(
      "Authorization",
      "Content-Type",
      "Content-Length",
      "Content-Encoding",
      "Transfer-Encoding",
      "X-Request-ID",
      "Expect",
      "Host",
      "Connection",
      "Upgrade",
      "X-HTTP-Method-Override",
      "__proto__",
    );
    const values = fc.oneof(
      fc.constantFrom(
        "",
        "Bearer",
        `Bearer ${service.token}`,
        "application/json",
        "2",
        "chunked",
        "close",
        "websocket",
        "100-continue",
      ),
      fc.string({ unit: "binary", maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 5 }), async (headers) => {
        const lines = headers.map(([name, content]) => `${name}: ${content}\r\n`).join("");
        const answer = await raw(
          service.url,
          Buffer.from(`POST /access/v1/check HTTP/1.1\r\n${lines}Connection: close\r\n\r\n{}`, "latin1"),
          /\r\n\r\n.*\}$/s,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 (100 Continue\r\n\r\nHTTP\/1\.1 )?4\d\d /);
        expect(JSON.parse(answer.slice(answer.lastIndexOf("\r\n\r\n"))).message).toEqual(expect.any(String));
      }),
      RUNS,
    );
  });

  it("as bytes of a connection leaves the service as it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.boolean(), async (bytes, lines) => {
        const socket = connectTo(service.url);
        socket.end(
          Buffer.concat([Buffer.from(bytes), Buffer.from(lines ? "\r\n\r\n\r\n" : "\r\n x\r\n\r\n")]),
        );
        let answer = "";
        for await (const piece of socket) answer += piece;
        expect(answer).toMatch(/^($|HTTP\/1\.1 [24]\d\d )/);
      }),
      RUNS,
    );
    expect((await post(service, "/access/v1/check", sound["/access/v1/check"])).status).toBe(200);
    expect(service.counters.inFlight).toBe(0);
  });

  it("no failure inside was logged", () => {
    expect(service.log.failures).toEqual([]);
    expect(service.counters.errors.internal).toBe(0);
  });
});
