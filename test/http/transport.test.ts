import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { openedOnce } from "../opened.ts";
import { API_TOKEN, connectTo, post, raw, requestText, startService } from "./service-kit.ts";

const service = await closedAfterAll(startService({ limits: { headersBytes: 4096 } }));

const HOT = "/access/v1/check";
const TEXT = JSON.stringify({
  user: "alice",
  required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data" },
});
const CLOSE = "Connection: close";

/** Status and JSON body of a whole answer. */
function parse(text: string): { status: number; body: { message: string } } {
  const [head, body] = text.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head ?? "")?.[1]), body: JSON.parse(body ?? "null") };
}

describe("a path", () => {
  it.each([
    ["/"],
    ["/access/v1"],
    ["/access/v1/check/"],
    ["/access/v1/Check"],
    ["/ACCESS/v1/check"],
    ["//access/v1/check"],
    ["/access/v1//check"],
    ["/access/v1/check%2F"],
    ["/access/v1/%63heck"],
    ["/access/v1/../v1/check/."],
    ["/access/v1/plans"],
    ["/HEALTHZ"],
    ["/healthz/"],
    ["/metrics"],
    ["/%"],
    ["/%ff"],
    ["/__proto__"],
    ["*"],
  ])("%s is unknown: 404 in JSON", async (path) => {
    const answer = parse(await raw(service.url, requestText(service, path, TEXT, [CLOSE])));
    expect(answer).toEqual({ status: 404, body: { message: "there is nothing at this path" } });
  });

  it.each([
    ["http://test", 200],
    ["https://any.example:8443", 200],
    ["HTTP://test", 200],
    ["http://test/x", 404],
    ["http://test?x=/access/v1", 404],
    ["http://test/x?y=", 404],
    ["http://", 404],
    ["http://user@test", 404],
    ["ftp://test", 404],
    ["http:/", 404],
  ])("in absolute form is the path in it: %s", async (authority, status) => {
    const target = `${authority}${authority.includes("?") ? "" : HOT}`;
    const answer = parse(await raw(service.url, requestText(service, target, TEXT, [CLOSE])));
    expect(answer.status).toBe(status);
  });

  it("in absolute form has the query of it, and an empty path is the root", async () => {
    const of = async (target: string) =>
      parse(await raw(service.url, requestText(service, target, TEXT, [CLOSE]))).status;
    expect(await of(`http://test${HOT}?a=b`)).toBe(400);
    expect(await of("http://test")).toBe(404);
    expect(await of("http://test?")).toBe(404);
  });
});

describe("a method", () => {
  it.each(["GET", "PUT", "DELETE", "PATCH", "PROPFIND", "QUERY"])(
    "%s of a decision is 405 with Allow",
    async (method) => {
      const response = await fetch(service.url + HOT, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(await response.json()).toEqual({ message: expect.any(String) });
    },
  );

  it("HEAD is as GET without a body", async () => {
    const decision = await fetch(service.url + HOT, { method: "HEAD" });
    expect([decision.status, await decision.text()]).toEqual([405, ""]);
    const health = await fetch(`${service.url}/healthz`, { method: "HEAD" });
    expect([health.status, await health.text()]).toEqual([200, ""]);
  });

  it("OPTIONS tells the methods", async () => {
    for (const [path, allow] of [
      [HOT, "POST, OPTIONS"],
      ["/healthz", "GET, HEAD, OPTIONS"],
    ]) {
      const response = await fetch(service.url + path, { method: "OPTIONS" });
      expect([response.status, response.headers.get("allow")]).toEqual([204, allow]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("POST of a probe is 405", async () => {
    expect((await post(service, "/healthz", {})).status).toBe(405);
  });

  it("CONNECT and unheard methods are refused in JSON", async () => {
    expect(parse(await raw(service.url, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")).status).toBe(405);
    expect(parse(await raw(service.url, "FLY / HTTP/1.1\r\nHost: x\r\n\r\n")).status).toBe(400);
  });

  it("TRACE does not echo", async () => {
    const text = await raw(
      service.url,
      `TRACE ${HOT} HTTP/1.1\r\nHost: x\r\nX-A: topsecret\r\n${CLOSE}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(text).not.toContain("topsecret");
  });
});

describe("what is no request", () => {
  const head = `POST ${HOT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_TOKEN}\r\nContent-Type: application/json\r\n`;

  it.each<[string, string, number]>([
    ["garbage", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400],
    ["another protocol", "GET / FTP/1.1\r\n\r\n", 400],
    ["no Host", `GET /healthz HTTP/1.1\r\n\r\n`, 400],
    [
      "Content-Length and Transfer-Encoding",
      `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "Transfer-Encoding and Content-Length",
      `${head}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["two Content-Lengths", `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ["a negative Content-Length", `${head}Content-Length: -2\r\n\r\n`, 400],
    ["a Content-Length with a sign", `${head}Content-Length: +2\r\n\r\n{}`, 400],
    ["an unheard Transfer-Encoding", `${head}Transfer-Encoding: x\r\n\r\n`, 400],
    ["chunked not at the end", `${head}Transfer-Encoding: chunked, gzip\r\n\r\n`, 400],
    ["a bad chunk", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ["a blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400],
    ["a folded header", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400],
    ["a bare CR", "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", 400],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0\r\n\r\n", 400],
    ["large headers", `GET / HTTP/1.1\r\nHost: x\r\nA: ${"b".repeat(5000)}\r\n\r\n`, 431],
    ["a long path", `GET /${"b".repeat(5000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])("%s is refused in JSON and the connection closed", async (_title, bytes, status) => {
    const answer = parse(await raw(service.url, Buffer.from(bytes, "latin1")));
    expect(answer).toEqual({ status, body: { message: expect.any(String) } });
  });

  it("after a good one on the same connection is refused after that one's answer", async () => {
    const text = await raw(service.url, `${requestText(service, HOT, TEXT)}nonsense\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  it("is refused after the answer to the one before it also when that takes time", async () => {
    let release = () => {};
    const slow = await startService({
      around: (decisions) => ({
        ...decisions,
        check: async (request) => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return decisions.check(request);
        },
      }),
    });
    const text = raw(slow.url, `${requestText(slow, HOT, TEXT)}nonsense\r\n\r\n`);
    await expect.poll(() => slow.counters.inFlight).toBe(1);
    release();
    expect((await text).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
    await slow.close();
  });
});

it("pipelined requests are answered in order", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `id-${index}`);
  const requests = ids.map((id, index) => {
    const more = [`X-Request-ID: ${id}`, ...(index === 49 ? [CLOSE] : [])];
    return requestText(service, index % 3 === 0 ? "/access/v1/simulate" : HOT, TEXT, more);
  });
  const text = await raw(service.url, requests.join(""));
  expect([...text.matchAll(/X-Request-ID: (.*)\r\n/g)].map((match) => match[1])).toEqual(ids);
});

describe("X-Request-ID", () => {
  const idIn = (text: string) => [...text.matchAll(/^X-Request-ID: (.*)\r$/gm)].map(([, id]) => id);

  it("is in answers to what is no request, too", async () => {
    const [one, other] = [await raw(service.url, "nonsense\r\n\r\n"), await raw(service.url, "x\r\n\r\n")];
    expect(idIn(one)).toEqual([expect.stringMatching(/./)]);
    expect(idIn(other)).not.toEqual(idIn(one));
    const connect = "CONNECT x:1 HTTP/1.1\r\nHost: x\r\nX-Request-ID: mine\r\n\r\n";
    expect(idIn(await raw(service.url, connect))).toEqual(["mine"]);
    const chunked = `POST ${HOT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_TOKEN}\r\nContent-Type: application/json\r\n`;
    const badChunk = `${chunked}X-Request-ID: mine\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    expect(idIn(await raw(service.url, badChunk))).toEqual(["mine"]);
  });

  const answered = async (id: string) =>
    (await post(service, HOT, TEXT, { "x-request-id": id })).headers.get("x-request-id");

  it("is echoed, in errors too", async () => {
    expect(await answered("abc-123 {x}")).toBe("abc-123 {x}");
    const error = await post(service, HOT, "x", { "x-request-id": "abc" });
    expect([error.status, error.headers.get("x-request-id")]).toEqual([400, "abc"]);
    const refused = await post({ ...service, token: "x" }, HOT, TEXT, { "x-request-id": "abc" });
    expect([refused.status, refused.headers.get("x-request-id")]).toEqual([401, "abc"]);
  });

  it.each(["x".repeat(129), "ä", "a\tb"])("%j is replaced", async (id) => {
    expect(await answered(id)).toMatch(/^[\w-]{12,30}$/);
  });

  it("is made for each request without one", async () => {
    const seen = new Set<string | null>();
    for (let index = 0; index < 10; index++)
      seen.add((await post(service, HOT, TEXT)).headers.get("x-request-id"));
    expect(seen.size).toBe(10);
    expect(seen).not.toContain(null);
    const refused = await post({ ...service, token: "x" }, HOT, TEXT);
    expect(service.log.refusals.at(-1)?.request_id).toBe(refused.headers.get("x-request-id"));
  });
});

describe("time", () => {
  const brief = openedOnce(() => startService({ limits: { requestTimeoutMs: 250 } }));

  it.each<[string, string, number]>([
    ["no headers", "", 408],
    ["half the headers", `POST ${HOT} HTTP/1.1\r\nHost: x\r\n`, 408],
    ["no body", requestText({ token: API_TOKEN }, HOT, TEXT).slice(0, -TEXT.length), 408],
    ["half a body", requestText({ token: API_TOKEN }, HOT, TEXT).slice(0, -5), 408],
    ["half a bulk body", requestText({ token: API_TOKEN }, "/access/v1/simulate", TEXT).slice(0, -5), 408],
  ])("runs out for a caller who sends %s", async (_title, bytes, status) => {
    const began = performance.now();
    const answer = parse(await raw(brief.url, bytes));
    expect(answer).toEqual({ status, body: { message: expect.any(String) } });
    expect(performance.now() - began).toBeGreaterThan(240);
  });

  it("runs out for a caller who sends a byte now and then", async () => {
    const socket = connectTo(brief.url);
    const bytes = requestText(brief, HOT, TEXT);
    let received = "";
    socket.on("data", (piece) => {
      received += piece;
    });
    socket.on("error", () => {});
    const closed = once(socket, "close");
    for (const byte of bytes) {
      if (socket.destroyed || received !== "") break;
      socket.write(byte);
      await setTimeout(10);
    }
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("runs out for an answer that never comes: 503 with Retry-After", async () => {
    const stuck = await startService({
      limits: { requestTimeoutMs: 250 },
      around: (decisions) => ({ ...decisions, check: () => new Promise<never>(() => {}) }),
    });
    const answer = await post(stuck, HOT, TEXT);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(stuck.counters.inFlight).toBe(0);
    await stuck.close();
  });

  it("runs out for a body that nobody wants to read", async () => {
    const socket = connectTo(brief.url);
    socket.on("error", () => {});
    socket.write(requestText({ token: "x" }, HOT, TEXT).slice(0, -5));
    const closed = once(socket, "close");
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 401 /);
    await closed;
  });

  it("does not run out between the requests of a connection", async () => {
    const socket = connectTo(brief.url);
    const bytes = requestText(brief, HOT, TEXT);
    for (let round = 0; round < 3; round++) {
      socket.write(bytes);
      expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
      await setTimeout(400);
    }
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });
});

describe("an error inside", () => {
  it("is a 500 with an id that is in the log, and nothing else of it", async () => {
    const failing = await startService({
      around: (decisions) => ({
        ...decisions,
        check: () => {
          throw new TypeError("topsecret of undefined");
        },
        evaluate: () => Promise.reject(new AuthorizerError("internal", "topsecret")),
        simulate: () => Promise.reject(new Error("topsecret")),
        filter: () => Promise.reject(new Error("topsecret")),
      }),
    });
    const evaluation = {
      subject: { type: "user", id: "alice" },
      action: { name: "a:b" },
      resource: { type: "arn", id: "x" },
    };
    const calls: [string, unknown][] = [
      [HOT, TEXT],
      ["/access/v1/evaluation", evaluation],
      ["/access/v1/evaluations", { ...evaluation, evaluations: [{}] }],
      ["/access/v1/simulate", { user: "a", policies: [], required: { action: "a", resource: "b" } }],
      ["/access/v1/filter", { user: "a", action: "b", resources: ["c"] }],
    ];
    for (const [path, body] of calls) {
      const answer = await post(failing, path, body);
      const id = failing.log.failures.at(-1)?.error_id;
      expect([answer.status, answer.body]).toEqual([500, { message: `internal error ${id}` }]);
      expect(failing.log.failures.at(-1)?.path).toBe(path);
    }
    const lines = '{"user":"a","action":"b"}\n"c"\n';
    const streamed = await post(failing, "/access/v1/filter", lines, {
      "content-type": "application/x-ndjson",
    });
    const id = failing.log.failures.at(-1)?.error_id;
    expect(JSON.parse(streamed.text)).toEqual({
      complete: false,
      error: { status: 500, message: `internal error ${id}` },
    });
    expect(failing.counters.errors.internal).toBe(6);
    await failing.close();
  });

  it("of the store is 503 with Retry-After", async () => {
    const down = await startService({
      around: (decisions) => ({
        ...decisions,
        check: () =>
          Promise.reject(
            new AuthorizerError("unavailable", "the store does not answer", { retryAfterSeconds: 2.5 }),
          ),
      }),
    });
    const answer = await post(down, HOT, TEXT);
    expect([answer.status, answer.headers.get("retry-after"), answer.body.message]).toEqual([
      503,
      "3",
      "the store does not answer",
    ]);
    await down.close();
  });
});

it("counts and logs what it answers", async () => {
  const logged = await startService({ logRequests: true });
  await post(logged, HOT, TEXT, { "x-request-id": "abc" });
  await post(logged, HOT, "x");
  await post({ ...logged, token: "x" }, HOT, TEXT);
  await fetch(`${logged.url}/nothing?topsecret`);
  await fetch(`${logged.url}/healthz`);
  expect(logged.log.answered[0]).toEqual({
    request_id: "abc",
    method: "POST",
    path: HOT,
    status: 200,
    duration_ms: expect.any(Number),
    caller: "data-server",
    peer: "127.0.0.1",
  });
  expect(logged.log.answered.map(({ status }) => status)).toEqual([200, 400, 401, 404, 200]);
  const counted = (method: string, route: string) =>
    [...logged.counters.routes()].find((one) => one.method === method && one.route === route)?.statusClasses;
  expect(counted("POST", HOT)).toEqual([0, 0, 1, 0, 2, 0]);
  expect(counted("GET", "/healthz")).toEqual([0, 0, 1, 0, 0, 0]);
  expect(counted("*", "unmatched")).toEqual([0, 0, 0, 0, 1, 0]);
  expect(logged.counters.decisionSeconds.check.count).toBe(1);
  expect(logged.counters.errors).toMatchObject({ invalid_request: 1, unauthenticated: 1, not_found: 1 });
  expect(JSON.stringify(logged.log)).not.toContain("topsecret");
  await logged.close();
});
