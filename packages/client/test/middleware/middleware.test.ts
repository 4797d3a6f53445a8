/**
 * The same routes with each framework: nobody, a refusal, a permission, the service gone, the service back. Every
 * server is a real one, asked over a socket.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { requirePermission as forExpress } from "@svc-authorizer/client/middleware/express.ts";
import { requirePermission as forFastify } from "@svc-authorizer/client/middleware/fastify.ts";
import { requirePermission as forHono } from "@svc-authorizer/client/middleware/hono.ts";
import { requirePermission as forHttp } from "@svc-authorizer/client/middleware/http.ts";
import {
  type Checker,
  judge,
  type Permission,
  type Refused,
} from "@svc-authorizer/client/middleware/permission.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import express from "express";
import Fastify from "fastify";
import { type Context, Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const ACTION = "fs:WriteObject";
const arn = (name: string): string => `arn:svc:fs:::repository/r/object/${name}`;

interface App {
  readonly url: string;
  close(): Promise<unknown>;
}

async function listen(server: Server): Promise<App> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: urlOf(server), close: () => new Promise((resolve) => server.close(resolve)) };
}

const urlOf = (server: { address(): unknown }): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Each serves `/objects/NAME` to whom the header `x-user` names. Errors that reach it are answered with 500. */
const APPS: Readonly<Record<string, (client: AuthorizerClient) => Promise<App>>> = {
  express: (client) => {
    const app = express();
    const guard = forExpress<express.Request>(client, {
      action: ACTION,
      resource: (request) => arn(String(request.params["name"])),
      user: (request) => request.get("x-user"),
    });
    app.get("/objects/:name", guard, (_, response) => {
      response.send("passed");
    });
    return listen(createServer(app));
  },
  fastify: async (client) => {
    const app = Fastify();
    const guard = forFastify<{ params: unknown; headers: Record<string, unknown> }>(client, {
      action: ACTION,
      resource: ({ params }) => arn((params as { name: string }).name),
      user: ({ headers }) => headers["x-user"] as string | undefined,
    });
    app.get("/objects/:name", { preHandler: guard }, async () => "passed");
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return { url, close: () => app.close() };
  },
  hono: async (client) => {
    const app = new Hono();
    app.get(
      "/objects/:name",
      forHono<Context>(client, {
        action: ACTION,
        resource: (context) => arn(context.req.param("name") ?? ""),
        user: (context) => context.req.header("x-user"),
      }),
      (context) => context.text("passed"),
    );
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await new Promise((resolve) => server.once("listening", resolve));
    return { url: urlOf(server), close: () => new Promise((resolve) => server.close(resolve)) };
  },
  http: (client) =>
    listen(
      createServer(
        forHttp(
          client,
          {
            action: ACTION,
            resource: (request) => arn(request.url?.split("/").pop() ?? ""),
            user: (request) => request.headers["x-user"] as string | undefined,
          },
          (_, response) => response.end("passed"),
        ),
      ),
    ),
};

describe.each(Object.keys(APPS))("requirePermission for %s", (name) => {
  let authorizer: TestAuthorizer;
  let client: AuthorizerClient;
  let app: App;
  let port: number;
  const start = (): Promise<TestAuthorizer> =>
    startAuthorizer({
      dataset: "fixtures/datasets/roles.yaml",
      config: {
        "authorizer.listen_address": `127.0.0.1:${port}`,
        "auth.api.token": "token-of-this-test-with-enough-characters",
      },
    });
  beforeAll(async () => {
    port = 0;
    authorizer = await start();
    port = Number(new URL(authorizer.url).port);
    client = new AuthorizerClient({ url: authorizer.url, token: authorizer.token, timeout: 2_000 });
    app = await APPS[name]!(client);
  });
  afterAll(async () => {
    await app.close();
    await authorizer.close();
  });

  const get = (user?: string): Promise<Response> =>
    fetch(`${app.url}/objects/o`, { headers: user === undefined ? {} : { "x-user": user } });

  it("answers 401 to nobody", async () => {
    const response = await get();
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("answers 403 with the reason and the id of the decision", async () => {
    const response = await get("viewer");
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining(ACTION),
      id: expect.any(String),
    });
  });

  it("lets pass what is allowed", async () => {
    const response = await get("developer");
    expect([response.status, await response.text()]).toEqual([200, "passed"]);
  });

  it("answers 503 without the service, and passes again once it is back", async () => {
    await authorizer.close();
    const refused = await get("developer");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toHaveProperty("message");
    authorizer = await start();
    expect((await get("developer")).status).toBe(200);
  });
});

describe("requirePermission tells what is wrong", () => {
  const broken = (): never => {
    throw new Error("request.session is undefined");
  };
  const permission: Permission<object> = { action: ACTION, resource: "*", user: "viewer" };
  let authorizer: TestAuthorizer;
  let client: AuthorizerClient;
  let stranger: AuthorizerClient;
  let closed: EmbeddedAuthorizer;
  beforeAll(async () => {
    authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
    client = new AuthorizerClient({ url: authorizer.url, token: authorizer.token });
    closed = EmbeddedAuthorizer.fromDataset({ format: 1, users: [{ username: "viewer" }] });
    closed.close();
    stranger = new AuthorizerClient({
      url: authorizer.url,
      token: "a-token-that-nobody-configured-0123456789",
    });
  });
  afterAll(() => authorizer.close());

  const cases: Readonly<
    Record<
      string,
      () => { checker: Checker; more?: Partial<Permission<object>>; status: number; says: string }
    >
  > = {
    "its own function throws": () => ({
      checker: client,
      more: { user: broken },
      status: 500,
      says: "failed before",
    }),
    "its own function rejects": () => ({
      checker: client,
      more: { resource: async () => broken() },
      status: 500,
      says: "failed before",
    }),
    "the token is wrong": () => ({ checker: stranger, status: 500, says: "token" }),
    "the question is wrong": () => ({
      checker: client,
      more: { context: { "resource.size": 2 ** 60 } },
      status: 500,
      says: "question",
    }),
    "the service is gone": () => ({
      checker: new AuthorizerClient({ url: "http://127.0.0.1:1", token: "t", retries: 0 }),
      status: 503,
      says: "does not answer",
    }),
    "the decision point is closed": () => ({
      checker: closed,
      status: 503,
      says: "does not answer",
    }),
  };

  it.each(Object.keys(cases))("where %s", async (name) => {
    const { checker, more, status, says } = cases[name]!();
    const heard: unknown[] = [];
    const verdict = await judge(
      checker,
      { ...permission, ...more, onError: (error) => heard.push(error) },
      {},
    );
    expect(verdict).toMatchObject({ status, body: { message: expect.stringContaining(says) } });
    expect(heard).toHaveLength(1);
    expect("retry-after" in (verdict as Refused).headers).toBe(status === 503);
  });

  it("in a line of the log where the application has no onError, and not in one for each request", async () => {
    const lines: unknown[][] = [];
    const log = vi.spyOn(console, "error").mockImplementation((...line) => void lines.push(line));
    const route = { ...permission, user: broken };
    for (let asked = 0; asked < 5; asked++) await judge(client, route, {});
    await judge(stranger, { ...permission }, {});
    log.mockRestore();
    expect(lines.map(([text]) => text)).toEqual([
      expect.stringMatching(/^svc-authorizer: a request was answered 500: this application failed before/),
      expect.stringMatching(/^svc-authorizer: a request was answered 500: .* token/),
    ]);
    expect(lines[0]?.[1]).toMatchObject({ message: "request.session is undefined" });
    expect(JSON.stringify(lines)).not.toContain("a-token-that-nobody-configured");
  });
});

it("answers 503 also where the application's own log of the error fails", async () => {
  const client = new AuthorizerClient({ url: "http://127.0.0.1:1", token: "t", retries: 0 });
  const onError = (): never => {
    throw new Error("the log is full");
  };
  const permission = { action: ACTION, resource: "*", user: "viewer", onError };
  expect(await judge(client, permission, {})).toMatchObject({ status: 503 });
});
