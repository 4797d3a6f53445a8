import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type OneKeyServer, SERVER_KEY, startOneKeyServer } from "../one-key-server.ts";
import { basicOf, PROXY_TOKEN, startExchange } from "../start-exchange.ts";

const MAIN = "/api/v1/repositories/data/branches/main";
const COMMITS = `${MAIN}/commits`;

let dataServer: OneKeyServer;
let authorizer: TestAuthorizer;
const streaming = (port: number) => ({
  "authorizer.exchange.streaming_address": "127.0.0.1:0",
  "authorizer.exchange.upstream": `http://127.0.0.1:${port}`,
});
beforeAll(async () => {
  dataServer = await startOneKeyServer();
  authorizer = await startExchange("nginx", streaming(dataServer.port));
});
afterAll(async () => {
  await authorizer?.close();
  await dataServer?.close();
});
beforeEach(() => {
  dataServer.arrived.length = 0;
});

interface Sent {
  readonly to?: TestAuthorizer;
  readonly user?: string;
  readonly method?: string;
}

/** Sends a body as it is; an object as JSON. */
async function send(
  path: string,
  body: unknown,
  { to = authorizer, user = "writer", method = "POST" }: Sent = {},
) {
  const { hostname, port } = new URL(to.streamingUrl as string);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = {
    host: "data.example.com",
    authorization: basicOf(user),
    "x-svc-proxy-token": PROXY_TOKEN,
    "content-type": "application/json",
    "accept-encoding": "gzip",
    "content-length": Buffer.byteLength(text),
  };
  const sent = httpRequest({ hostname, port, method, path, headers, agent: false });
  sent.end(text);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let answered = "";
  answer.setEncoding("utf8").on("data", (piece) => {
    answered += piece;
  });
  await once(answer, "close");
  return { status: answer.statusCode, body: answered };
}

const arrivedBody = () => JSON.parse(String(dataServer.served[0]?.body)) as Record<string, unknown>;

describe("the name of the caller (spec/exchange §8)", () => {
  it.each([
    [
      "a commit",
      "POST",
      COMMITS,
      { message: "m", metadata: { a: "b" } },
      { message: "m", metadata: { a: "b", "svc.user": "writer" } },
    ],
    [
      "a commit without metadata",
      "POST",
      COMMITS,
      { message: "m" },
      { message: "m", metadata: { "svc.user": "writer" } },
    ],
    [
      "a forged name",
      "POST",
      COMMITS,
      { metadata: { "svc.user": "administrator" } },
      { metadata: { "svc.user": "writer" } },
    ],
    [
      "a forged name in other letters",
      "POST",
      COMMITS,
      { metadata: { "Svc.USER": "administrator" } },
      { metadata: { "svc.user": "writer" } },
    ],
    [
      "a merge",
      "POST",
      "/api/v1/repositories/data/refs/dev/merge/main",
      "",
      { metadata: { "svc.user": "writer" } },
    ],
    ["a cherry-pick", "POST", `${MAIN}/cherry-pick`, { ref: "a" }, { ref: "a" }],
    [
      "a cherry-pick with metadata",
      "POST",
      `${MAIN}/cherry-pick`,
      { ref: "a", commit_overrides: { metadata: { "svc.user": "x" } } },
      { ref: "a", commit_overrides: { metadata: { "svc.user": "writer" } } },
    ],
    [
      "a revert with metadata",
      "POST",
      `${MAIN}/revert`,
      { ref: "a", commit_overrides: { metadata: {} } },
      { ref: "a", commit_overrides: { metadata: { "svc.user": "writer" } } },
    ],
  ] as [string, string, string, unknown, unknown][])(
    "is in %s",
    async (_what, method, path, body, expected) => {
      expect((await send(path, body, { method })).status).toBe(200);
      expect(arrivedBody()).toEqual(expected);
      const [arrived] = dataServer.served;
      expect(arrived?.headers).toMatchObject({ "x-svc-user": "writer", host: "data.example.com" });
      expect(arrived?.headers["accept-encoding"]).toBeUndefined();
    },
  );

  it.each([
    [
      "an import",
      "POST",
      `${MAIN}/import`,
      { paths: [], commit: { message: "m", metadata: { "svc.user": "x" } } },
      { paths: [], commit: { message: "m", metadata: { "svc.user": "administrator" } } },
    ],
    [
      "a staged object",
      "PUT",
      `${MAIN}/objects?path=a`,
      { metadata: { "svc.user": "x" } },
      { metadata: { "svc.user": "administrator" } },
    ],
    [
      "a linked object",
      "PUT",
      `${MAIN}/staging/backing?path=a`,
      { user_metadata: { "svc.user": "x" } },
      { user_metadata: { "svc.user": "administrator" } },
    ],
  ] as [string, string, string, unknown, unknown][])(
    "is in %s of an administrator",
    async (_what, method, path, body, expected) => {
      expect((await send(path, body, { method, user: "administrator" })).status).toBe(200);
      expect(arrivedBody()).toEqual(expected);
    },
  );

  it.each([
    ["in another letter case", '{"message": "m", "Metadata": {"svc.user": "x"}}'],
    [
      "in other letters that Go takes for the same",
      '{"commit_overrideſ": {"metadata": {}}}',
      `${MAIN}/cherry-pick`,
    ],
    ["twice", '{"metadata": {"a": "b"}, "metadata": {"svc.user": "x"}}'],
    ["twice within the metadata", '{"metadata": {"svc.user": "x", "svc.user": "y"}}'],
    ["escaped and plain", '{"metadata": {"a": "b"}, "m\\u0065tadata": {"svc.user": "x"}}'],
    ["in a list", '{"metadata": [{"svc.user": "x"}]}'],
    ["in what is no JSON", '{"metadata": {"svc.user": "x"}'],
    ["behind a value", '{"message": "m"} {"metadata": {"svc.user": "x"}}'],
  ] as [string, string, string?][])("is not forged by metadata %s", async (_what, body, path = COMMITS) => {
    expect((await send(path, body)).status).toBe(400);
    expect(dataServer.arrived).toEqual([]);
  });

  it("keeps a member that only looks like a prototype, and values as they are", async () => {
    const body =
      '{"message":"m","__proto__":{"metadata":1},"date":1700000000,"metadata":{"__proto__":"x","ä":"ß"}}';
    expect((await send(COMMITS, body)).status).toBe(200);
    expect(String(dataServer.served[0]?.body)).toBe(
      '{"message":"m","__proto__":{"metadata":1},"date":1700000000,"metadata":{"__proto__":"x","ä":"ß","svc.user":"writer"}}',
    );
  });

  it("takes no body of more than 1 MiB, and no request that is not allowed or has no metadata", async () => {
    expect((await send(COMMITS, { message: "m".repeat(1_100_000) })).status).toBe(413);
    expect((await send(COMMITS.replace("data", "other"), { message: "m" })).status).toBe(403);
    const tags = await send("/api/v1/repositories/data/tags", { id: "a", ref: "main" });
    expect(tags).toMatchObject({ status: 403, body: expect.stringContaining("this listener") });
    expect((await send(COMMITS, { message: "m" }, { user: "nobody" })).status).toBe(401);
    expect(dataServer.arrived).toEqual([]);
  });

  it("has the key that the configuration says, and is left out with off", async () => {
    for (const [key, expected] of [
      ["made.by", { message: "m", metadata: { "made.by": "writer" } }],
      ["off", { message: "m" }],
    ] as const) {
      dataServer.arrived.length = 0;
      const other = await startExchange("nginx", {
        ...streaming(dataServer.port),
        "authorizer.exchange.name_in_metadata": key,
      });
      onTestFinished(() => other.close());
      expect((await send(COMMITS, { message: "m" }, { to: other })).status).toBe(200);
      expect(arrivedBody()).toEqual(expected);
    }
  });

  it("passes the data server's refusals on", async () => {
    const other = await startExchange("nginx", {
      ...streaming(dataServer.port),
      "authorizer.exchange.secret_access_key": "another-secret-than-that-of-the-data-server",
    });
    onTestFinished(() => other.close());
    const refused = await send(COMMITS, { message: "m" }, { to: other });
    expect(refused).toEqual({ status: 401, body: "refused by the data server" });
    expect(JSON.stringify(refused)).not.toContain(SERVER_KEY.secret);
  });
});
