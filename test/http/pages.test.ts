import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { PageAnswer } from "../../src/http/pages/page-folders.ts";
import type { ManagedServer } from "../../src/http/server/server-lifecycle.ts";
import { Health } from "../../src/listeners/health.ts";
import { createUserListener } from "../../src/listeners/user.ts";
import {
  createHttpCounters,
  type ReadableHttpCounters,
} from "../../src/observe/metrics/create-http-counters.ts";
import { EventLoopTurns, takeATurn } from "../event-loop-turns.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import { connectTo, MemoryLog, raw } from "./service-kit.ts";

const INDEX = "<!doctype html><title>pages</title>";
const HELP = "<!doctype html><title>help</title>";
const SCRIPT = `export const text = "${"long enough to be compressed ".repeat(100)}";`;
const CSP = "default-src 'self'";
const ASSET = "/assets/main-1a2b3c4d.js";
const STYLE = "/assets/main-1a2b3c4d.css";

// As below ~/.nvm: Express takes no file there for one that it may send.
const folder = join(temporaryFolder(), ".installed");
let listener: ManagedServer;
let url: string;
let counters: ReadableHttpCounters;
const log = new MemoryLog(true);

/** The answer to every path of the site. */
let site = async (): Promise<PageAnswer | undefined> => undefined;

beforeAll(async () => {
  const files: Record<string, string | Buffer> = {
    "app/index.html": INDEX,
    [`app${ASSET}`]: SCRIPT,
    [`app${STYLE}`]: "plain",
    [`app${STYLE}.gz`]: gzipSync("compressed before"),
    "app/robots.txt": "User-agent: *\nDisallow: /\n",
    "app/.hidden": "topsecret",
    "help/index.html": HELP,
    "help/names.html": "names",
    "outside.txt": "topsecret",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  counters = createHttpCounters();
  listener = createUserListener({
    limits: DEFAULT_LIMITS,
    health: new Health({ checkStore: async () => {} }),
    log,
    counters,
    pages: [
      { path: "/", folder: join(folder, "app"), headers: ["Content-Security-Policy", CSP] },
      { path: "/help", folder: join(folder, "help") },
      { path: "/site", answer: () => site() },
    ],
  });
  url = await listener.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => listener?.close());

const get = (path: string, init: RequestInit = {}) => fetch(url + path, init);

describe("a folder of pages", () => {
  it.each(["/", "/users", "/users/alice@example.com", "/policies/a%2Fb?x=/api/v1", "/helpful", "/favicon"])(
    "%s gives the index, which nobody keeps",
    async (path) => {
      const answer = await get(path);
      expect([answer.status, await answer.text()]).toEqual([200, INDEX]);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  it.each(["/help", "/help/", "/help/model"])("%s gives the index of the folder below", async (path) => {
    expect(await (await get(path)).text()).toBe(HELP);
  });

  it("gives a file of its own, with its type", async () => {
    expect(await (await get("/help/names.html")).text()).toBe("names");
    expect((await get("/robots.txt")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("has files named by digest kept for ever, compressed and tagged", async () => {
    const answer = await get(ASSET);
    expect(await answer.text()).toBe(SCRIPT);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("content-encoding")).toMatch(/^(br|gzip)$/);
    const tag = answer.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"/);
    const known = `GET ${ASSET} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`;
    expect(await raw(url, known)).toMatch(/^HTTP\/1\.1 304 .*\r\n\r\n$/s);
    expect((await get("/assets/main-0.js")).status).toBe(404);
  });

  it.each([
    ['If-Match: "another"', 412, "Precondition Failed"],
    ["If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT", 412, "Precondition Failed"],
    ["Range: bytes=9999999-", 416, "Range Not Satisfiable"],
  ])("refuses %s, which the file cannot have, as what it is", async (header, status, message) => {
    for (const path of [ASSET, "/robots.txt", "/any/page"]) {
      const answer = await raw(
        url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain(JSON.stringify({ message }));
    }
  });

  it("answers the compressed file beside a file, to clients that take it", async () => {
    const answer = await get(STYLE);
    expect(await answer.text()).toBe("compressed before");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-encoding": "gzip",
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "content-security-policy": CSP,
    });
    expect(await (await get(STYLE, { headers: { "Accept-Encoding": "identity" } })).text()).toBe("plain");
  });

  it.each([
    "/api",
    "/api/v1/auth/users",
    "/API/v1/auth/users",
    "/%61pi/v1",
    "/access/v1/check",
    "/forward-auth",
    "/metrics",
    "/.well-known/authzen-configuration",
    "/scim/v2/Users",
    "/service/replication/v1/mirrors",
    "/authentication/v1/healthcheck",
    "/sts",
    "/healthz/",
    "//users",
    "/users//x",
    "/../outside.txt",
    "/..%2foutside.txt",
    "/%2e%2e/outside.txt",
    "/a%5c..%5coutside.txt",
    "/%00",
    "/%",
    "/assets/%2e%2e/%2e%2e/outside.txt",
    "*",
    "*users",
    "ftp://users",
    "http:///users",
  ])("%s gives no page", async (path) => {
    const text = await raw(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text).toContain('"message"');
    expect(text).not.toContain("topsecret");
  });

  it("shows no hidden file", async () => {
    expect(await (await get("/.hidden")).text()).toBe(INDEX);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("is not written to by %s", async (method) => {
    expect((await get("/users", { method })).status).toBe(404);
  });

  it("answers HEAD without a body", async () => {
    const answer = await get("/users", { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(Number(answer.headers.get("content-length"))).toBe(INDEX.length);
  });

  it("has what every answer has, and its own content policy", async () => {
    const { headers } = await get("/users", { headers: { "x-request-id": "mine" } });
    expect(headers.get("x-request-id")).toBe("mine");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe(CSP);
    expect(headers.get("x-powered-by")).toBeNull();
    const other = await get("/help");
    expect(other.headers.get("content-security-policy")).toContain("default-src 'none'");
    const missing = await get("/assets/none.js", { headers: { "x-request-id": "mine" } });
    expect([missing.status, missing.headers.get("x-request-id")]).toEqual([404, "mine"]);
  });

  it("is counted and logged under one route, however many paths there are", async () => {
    await get("/one-more");
    const counted = [...counters.routes()].find(({ route }) => route === "/*");
    expect(counted?.statusClasses[2]).toBeGreaterThan(10);
    expect(log.answered.at(-1)).toMatchObject({ method: "GET", path: "/*", status: 200 });
    expect(counters.inFlight).toBe(0);
  });

  it("serves a connection on after a page", async () => {
    const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const text = await raw(url, request("/x") + request("/healthz") + request("/y", "Connection: close\r\n"));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 200"]);
  });
});

it("writes pages that are ready at once in turns with other work, each whole", async () => {
  const [turns, written] = [new EventLoopTurns(), [] as number[]];
  const page = {
    type: "text/plain",
    body: "made",
    get status() {
      written.push(turns.turn);
      takeATurn();
      return 200;
    },
  };
  const ready = Promise.withResolvers<void>();
  let asked = 0;
  site = async () => {
    if (++asked === 10) ready.resolve();
    await ready.promise;
    return page;
  };
  const answers = await Promise.all(Array.from({ length: 10 }, async () => (await get("/site/x")).text()));
  turns.stop();
  expect(answers).toEqual(Array(10).fill("made"));
  expect(new Set(written).size).toBe(10);
});

it("is over for callers who leave before the pages are there", async () => {
  const counted = createHttpCounters();
  const other = createUserListener({
    limits: DEFAULT_LIMITS,
    health: new Health({ checkStore: async () => {} }),
    log,
    counters: counted,
    pages: [{ path: "/", folder: join(folder, "app") }],
  });
  const address = await other.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => other.close());
  const sockets = Array.from({ length: 5 }, () => connectTo(address));
  for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => counted.inFlight, { interval: 1 }).toBeGreaterThan(0);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => counted.inFlight).toBe(0);
});
