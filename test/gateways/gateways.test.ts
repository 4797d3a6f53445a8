import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { TestAuthorizer } from "../../src/testing/start-authorizer.ts";
import { configuration, missing, PROGRAM_NAMES, type ProxyProgram, startProxy } from "./proxy-program.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";
import { ACCESS_KEYS, PROXY_TOKEN, SECRET, startBehindProxy } from "./start-behind-proxy.ts";

interface Case {
  readonly name: string;
  readonly as?: string;
  readonly secret?: string;
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly passes?: true;
  readonly refused?: number | "any";
}

const { cases } = parse(
  readFileSync(new URL("../../fixtures/gateways/requests.yaml", import.meta.url), "utf8"),
) as { cases: readonly Case[] };

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Writes a request to the proxy byte by byte as the case has it. */
function send(port: number, one: Case): Promise<Answer> {
  const { as, secret = SECRET, method = "GET", target, headers = {}, body } = one;
  const key = as === undefined ? undefined : ACCESS_KEYS.get(as);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: data.example.com",
    "Connection: close",
    ...(key === undefined
      ? []
      : [`Authorization: Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body ?? "",
  ];
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(lines.join("\r\n")));
    socket.setEncoding("utf8").on("data", (text) => {
      received += text;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", ...rest] = received.split("\r\n\r\n");
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
      resolve({ status, headers: head.toLowerCase(), body: rest.join("\r\n\r\n") });
    });
  });
}

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, as docs/gateways.md configures it${why === undefined ? "" : ` (${why})`}`,
    () => {
      let dataServer: StandIn;
      let authorizer: TestAuthorizer;
      let proxy: ProxyProgram;
      beforeAll(async () => {
        dataServer = await startStandIn();
        authorizer = await startBehindProxy(name);
        proxy = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: Number(new URL(authorizer.url).port),
          proxyToken: PROXY_TOKEN,
        });
      });
      afterAll(async () => {
        await proxy?.close();
        await authorizer?.close();
        await dataServer?.close();
      });
      beforeEach(() => {
        dataServer.reached.length = 0;
      });

      test.each(cases.filter(({ passes }) => passes === true).map((one) => [one.name, one] as const))(
        "%s passes",
        async (_name, one) => {
          expect((await send(proxy.port, one)).status).toBe(200);
          expect(dataServer.reached).toHaveLength(1);
          const [reached] = dataServer.reached;
          expect(reached?.method).toBe(one.method ?? "GET");
          expect(reached?.target).toBe(one.target);
          expect(reached?.bytes).toBe(Buffer.byteLength(one.body ?? ""));
          expect(decodeURIComponent(String(reached?.headers["x-svc-user"]))).toBe(one.as ?? "-");
          expect(reached?.headers["x-svc-decision-id"]).toMatch(/^[\w-]{8,}$/);
          expect(reached?.headers["x-forwarded-for"]).toBe("127.0.0.1");
          expect(reached?.headers["x-svc-proxy-token"]).toBeUndefined();
          expect(reached?.headers["x-original-uri"]).toBeUndefined();
        },
      );

      test.each(cases.filter(({ refused }) => refused !== undefined).map((one) => [one.name, one] as const))(
        "%s is refused",
        async (_name, one) => {
          const answer = await send(proxy.port, one);
          expect(dataServer.reached).toEqual([]);
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
          if (one.refused === "any") return;
          expect(answer.status).toBe(one.refused);
          expect(answer.body).toContain('{"message":"');
          expect(answer.headers.includes("www-authenticate: basic")).toBe(one.refused === 401);
        },
      );

      test("a revoked key is refused from the next request on", async () => {
        const one = { name: "", as: "leaver", target: "/api/v1/repositories/data/branches" };
        expect((await send(proxy.port, one)).status).toBe(200);
        await authorizer.directory.credentials.delete("leaver", ACCESS_KEYS.get("leaver") as string);
        expect((await send(proxy.port, one)).status).toBe(401);
        expect(dataServer.reached).toHaveLength(1);
      });

      test("nothing passes when the proxy token is another", async () => {
        const other = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: Number(new URL(authorizer.url).port),
          proxyToken: "another token than the configured one",
        });
        const answer = await send(other.port, cases[0] as Case);
        await other.close();
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(dataServer.reached).toEqual([]);
      });

      test("nothing passes when the authorizer does not answer", async () => {
        const alone = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: 9,
          proxyToken: PROXY_TOKEN,
        });
        const answer = await send(alone.port, cases[0] as Case);
        await alone.close();
        expect(answer.status).toBeGreaterThanOrEqual(500);
        expect(dataServer.reached).toEqual([]);
      });
    },
  );
}

test.each(PROGRAM_NAMES)("the documentation has a configuration of %s", (name) => {
  const text = configuration(name, "/tmp/x", 1, { dataServerPort: 2, authorizerPort: 3, proxyToken: "t" });
  expect(text).toMatch(/127\.0\.0\.1(?::|, port_value: )3\b/);
});
