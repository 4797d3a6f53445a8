/** Deadlines, repeats and headers of the client, against a server that fails as told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerClient, type ClientOptions } from "@svc-authorizer/client/client.ts";
import { afterEach, beforeEach, expect, it } from "vitest";

type Step = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url: string;
let steps: Step[];
let requests: IncomingMessage[];

beforeEach(async () => {
  steps = [];
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    const step = steps.shift() ?? allowed;
    request.resume().on("end", () => step(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const allowed: Step = (_, response) => {
  response.setHeader("x-svc-revision", "7.abcdefgh").end('{"allowed":true,"effect":"allow"}');
};
const answer =
  (status: number, body: object, headers: Record<string, string> = {}): Step =>
  (_, response) => {
    response.writeHead(status, headers).end(JSON.stringify(body));
  };
const brokenConnection: Step = (request) => request.socket.destroy();
const silence: Step = () => undefined;

const CHECK = { user: "u", required: { action: "fs:ReadObject", resource: "*" } };
const client = (options: Partial<ClientOptions> = {}): AuthorizerClient =>
  new AuthorizerClient({ url, token: "t", ...options });

it("repeats what may be repeated: a broken connection, 503, 429", async () => {
  steps = [brokenConnection, answer(503, { message: "full" })];
  expect((await client().check(CHECK)).allowed).toBe(true);
  expect(requests).toHaveLength(3);
});

it("gives up after the repeats, with the last error", async () => {
  steps = [1, 2, 3, 4].map(() => answer(503, { message: "full", code: "stale" }, { "x-request-id": "r1" }));
  await expect(client().check(CHECK)).rejects.toMatchObject({ status: 503, code: "stale", requestId: "r1" });
  expect(requests).toHaveLength(1);
  await expect(client({ retries: 0 }).check(CHECK)).rejects.toMatchObject({ status: 503 });
  expect(requests).toHaveLength(2);
});

it("repeats a call whose answer broke off, and does not take the rest for an answer", async () => {
  steps = [
    (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"allowed":true');
      setImmediate(() => response.destroy());
    },
  ];
  expect(await client().check(CHECK)).toEqual({ allowed: true, effect: "allow" });
  expect(requests).toHaveLength(2);
});

it.each([
  ["seconds", () => "1"],
  // A date has whole seconds: this one is between one and two seconds away.
  ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
])("waits as long as Retry-After says in %s", async (_, retryAfter) => {
  const at: number[] = [];
  steps = [
    (_request, response) => {
      at.push(performance.now());
      response.writeHead(503, { "retry-after": retryAfter() }).end("{}");
    },
    (request, response) => {
      at.push(performance.now());
      allowed(request, response);
    },
  ];
  expect((await client().check(CHECK)).allowed).toBe(true);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(900);
});

it.each([
  ["a number of months", "2592000"],
  ["a date in some months", new Date(Date.now() + 2_592_000_000).toUTCString()],
])("does not ask again at once where Retry-After is %s", async (_, retryAfter) => {
  const later = answer(503, {}, { "retry-after": retryAfter });
  steps = Array.from({ length: 100 }, () => later);
  const stop = new AbortController();
  const watching = (async () => {
    for await (const _event of client().watch({ signal: stop.signal }));
  })();
  await delay(200);
  stop.abort();
  await watching;
  expect(requests).toHaveLength(1);
});

it("has an answer with a deadline of months", async () => {
  expect((await client({ timeout: 2_592_000_000 }).check(CHECK)).allowed).toBe(true);
});

it("waits as long as Retry-After says, and not beyond its own deadline", async () => {
  steps = [answer(503, { message: "later" }, { "retry-after": "60" })];
  await expect(client({ timeout: 2_000 }).check(CHECK)).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: 60,
  });
  expect(requests).toHaveLength(1);
});

it("does not repeat a call that is wrong", async () => {
  steps = [
    answer(400, { message: "invalid request", problems: [{ pointer: "/user", message: "required" }] }),
  ];
  await expect(client().check(CHECK)).rejects.toMatchObject({
    status: 400,
    code: "invalid_request",
    problems: [{ pointer: "/user", message: "required" }],
  });
  expect(requests).toHaveLength(1);
});

it("ends at its deadline", async () => {
  steps = [silence];
  await expect(client({ timeout: 100 }).check(CHECK)).rejects.toMatchObject({ code: "timeout", status: 0 });
});

it("ends at its deadline in the middle of an answer, and where the token does not come", async () => {
  steps = [(_, response) => response.writeHead(200).write('{"allowed":')];
  await expect(client({ timeout: 100 }).check(CHECK)).rejects.toMatchObject({ code: "timeout" });
  const waiting = client({ timeout: 100, token: () => new Promise(() => undefined) });
  await expect(waiting.check(CHECK)).rejects.toMatchObject({ code: "timeout" });
});

it("says that the token is missing where its function fails, and asks nothing", async () => {
  const lost = client({ token: () => Promise.reject(new Error("the vault is sealed")) });
  await expect(lost.check(CHECK)).rejects.toMatchObject({
    code: "unauthenticated",
    message: "the function `token` gave no token",
    cause: { message: "the vault is sealed" },
  });
  expect(requests).toEqual([]);
});

it("ends with the caller's reason", async () => {
  steps = [silence];
  const reason = new Error("left");
  await expect(client().check(CHECK, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: "TimeoutError",
  });
  await expect(client().check(CHECK, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

it("sends token, request id, trace, and the highest revision that it was given", async () => {
  const one = client({ token: async () => "fresh" });
  await one.check(CHECK, { requestId: "id-1", traceparent: "00-1-2-01" });
  await one.check(CHECK);
  expect(requests[0]?.headers).toMatchObject({
    authorization: "Bearer fresh",
    "x-request-id": "id-1",
    traceparent: "00-1-2-01",
  });
  expect(requests[0]?.headers).not.toHaveProperty("x-svc-min-revision");
  expect(requests[1]?.headers).toHaveProperty("x-svc-min-revision", "7.abcdefgh");
  expect(one.revision).toBe("7.abcdefgh");
});

it("asks again without a revision where the service has another log, as after a set-up anew", async () => {
  const one = client();
  await one.check(CHECK);
  steps = [answer(409, { message: "another log", code: "other_log" })];
  await one.check(CHECK);
  expect(requests[2]?.headers).not.toHaveProperty("x-svc-min-revision");
});

it("takes what is no JSON for no answer", async () => {
  steps = [(_, response) => response.end("<html>")];
  await expect(client().check(CHECK)).rejects.toMatchObject({ code: "unreadable" });
});

it("follows no redirect, which could take the token elsewhere", async () => {
  steps = [answer(307, {}, { location: "http://127.0.0.1:1/" })];
  await expect(client({ retries: 0 }).check(CHECK)).rejects.toMatchObject({ code: "unreachable" });
});
