import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readFixture } from "../read-fixture.ts";
import { configuration, missing, PROGRAM_NAMES, type ProxyProgram, startProxy } from "./proxy-program.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";
import { ACCESS_KEYS, PROXY_TOKEN, portFor, SECRET, startBehindProxy } from "./start-behind-proxy.ts";

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

const { cases } = readFixture<{ cases: readonly Case[] }>("gateways/requests.yaml");

/** Headers that spec/security §2.1 lists, by the names that are in use. */
const FORGED = [
  "X-Original-Method",
  "X-Original-URI",
  "X-Original-Host",
  "X-Original-Content-Length",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Forwarded-Port",
  "X-Forwarded-Method",
  "X-Forwarded-Uri",
  "X-Forwarded-Prefix",
  "X-Forwarded-Server",
  "X-Real-IP",
  "X-Svc-User",
  "X-Svc-Decision-Id",
  "X-Svc-Proxy-Token",
  "X-Svc-Error",
  "X-Svc-Reason",
];

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
          authorizerPort: portFor(authorizer),
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

      it.each(cases.filter(({ passes }) => passes === true).map((one) => [one.name, one] as const))(
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

      it.each(cases.filter(({ refused }) => refused !== undefined).map((one) => [one.name, one] as const))(
        "%s is refused",
        async (_name, one) => {
          const answer = await send(proxy.port, one);
          expect(dataServer.reached).toEqual([]);
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
          if (one.refused === "any") return;
          expect(answer.status).toBe(one.refused);
          expect(answer.body).toContain('{"message":"');
          const challenges = answer.headers.match(/^www-authenticate: basic/gm) ?? [];
          expect(challenges).toHaveLength(one.refused === 401 ? 1 : 0);
        },
      );

      it("what a client says in the words of proxies reaches neither server (spec/security §2.1)", async () => {
        const headers = Object.fromEntries(FORGED.map((name) => [name, "forged.example.com"]));
        const one = { name: "", as: "writer", target: "/api/v1/repositories/data/branches", headers };
        expect((await send(proxy.port, one)).status).toBe(200);
        expect(dataServer.reached).toHaveLength(1);
        expect(JSON.stringify(dataServer.reached[0]?.headers)).not.toContain("forged");
      });

      it("a client cannot have headers of the proxy dropped by naming them in Connection (spec/security §2.3)", async () => {
        const headers = { Connection: "X-Svc-User, X-Svc-Decision-Id, X-Svc-Proxy-Token, X-Forwarded-For" };
        const one = { name: "", as: "writer", target: "/api/v1/repositories/data/branches", headers };
        const { status } = await send(proxy.port, one);
        const users = dataServer.reached.map((reached) => [
          reached.headers["x-svc-user"],
          reached.headers["x-forwarded-for"],
        ]);
        expect(users).toEqual(status === 200 ? [["writer", "127.0.0.1"]] : []);
      });

      it("a preflight of a browser passes only with authorizer.forward_auth.preflight: allow", async () => {
        const headers = { Origin: "https://app.example.com", "Access-Control-Request-Method": "PUT" };
        const one = { name: "", method: "OPTIONS", target: "/api/v1/repositories/data/branches", headers };
        expect((await send(proxy.port, one)).status).toBe(401);
        expect(dataServer.reached).toEqual([]);
        const open = await startBehindProxy(name, { "authorizer.forward_auth.preflight": "allow" });
        const before = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: portFor(open),
          proxyToken: PROXY_TOKEN,
        });
        try {
          expect((await send(before.port, one)).status).toBe(200);
          expect(dataServer.reached.map(({ method }) => method)).toEqual(["OPTIONS"]);
          expect((await send(before.port, { ...one, method: "PUT" })).status).toBe(401);
          expect(dataServer.reached).toHaveLength(1);
        } finally {
          await before.close();
          await open.close();
        }
      });

      it("a revoked key is refused from the next request on", async () => {
        const one = { name: "", as: "leaver", target: "/api/v1/repositories/data/branches" };
        expect((await send(proxy.port, one)).status).toBe(200);
        await authorizer.directory.credentials.delete("leaver", ACCESS_KEYS.get("leaver") as string);
        expect((await send(proxy.port, one)).status).toBe(401);
        expect(dataServer.reached).toHaveLength(1);
      });

      it("nothing passes when the proxy token is another", async () => {
        const other = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: portFor(authorizer),
          proxyToken: "another token than the configured one",
        });
        const answer = await send(other.port, cases[0] as Case);
        await other.close();
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(dataServer.reached).toEqual([]);
      });

      it.skipIf(name === "traefik")(
        "nothing passes when the authorizer hangs, and the client is told within seconds",
        async () => {
          const hanging = createServer().listen(0, "127.0.0.1");
          await once(hanging, "listening");
          const { port: authorizerPort } = hanging.address() as AddressInfo;
          const alone = await startProxy(name, {
            dataServerPort: dataServer.port,
            authorizerPort,
            proxyToken: PROXY_TOKEN,
          });
          const answer = await send(alone.port, cases[0] as Case);
          await alone.close();
          hanging.close();
          expect(answer.status).toBeGreaterThanOrEqual(name === "nginx" ? 503 : 500);
          expect(dataServer.reached).toEqual([]);
          // The limit of nginx itself is 60 s.
        },
      );

      it("nothing passes when the authorizer does not answer", async () => {
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

/** Headers that these two replace themselves unless their configuration trusts them. */
const REPLACED_BY_TRAEFIK = /^X-(Forwarded|Real)-/;
const REPLACED_BY_ENVOY = /^X-Forwarded-Proto$/;

/** Tells whether a configuration deletes or overwrites a header of the client before it asks. */
const DELETED_BY_ENVOY = (name: string, text: string): boolean =>
  REPLACED_BY_ENVOY.test(name) ||
  text.includes(`{remove: ${name.toLowerCase()}}`) ||
  text.includes(`header: {key: ${name.toLowerCase()},`);
const DELETED: Readonly<Record<(typeof PROGRAM_NAMES)[number], (name: string, text: string) => boolean>> = {
  nginx: (name, text) => new RegExp(`^    proxy_set_header ${name} `, "m").test(text),
  caddy: (name, text) =>
    [...text.matchAll(/^\t\trequest_header -([\w-]+)\*?$/gm)].some(([, start = ""]) =>
      name.toLowerCase().startsWith(start.toLowerCase()),
    ),
  envoy: DELETED_BY_ENVOY,
  "envoy over grpc": DELETED_BY_ENVOY,
  traefik: (name, text) => REPLACED_BY_TRAEFIK.test(name) || new RegExp(`^ +${name}: "`, "m").test(text),
};

it.each(PROGRAM_NAMES)(
  "the configuration of %s deletes or overwrites whatever a client could forge (spec/security §2.1, spec/security §2.3)",
  (name) => {
    const upstreams = { dataServerPort: 2, authorizerPort: 3, proxyToken: "t" };
    const text = configuration(name, "/tmp/x", 1, upstreams);
    expect(FORGED.filter((header) => !DELETED[name](header, text))).toEqual([]);
  },
);

/**
 * Matches a configuration that asks at the right level: for the whole server, so that a location or route added later
 * is protected too.
 */
const ENVOY_LEVEL = /^ {16}http_filters:\n(?: {18,}.*\n)*? {18}- name: envoy\.filters\.http\.ext_authz\n/m;
const AT_SERVER_LEVEL: Readonly<Record<(typeof PROGRAM_NAMES)[number], RegExp>> = {
  nginx: /^ {2}server \{\n(?: {4}.*\n|\n)*? {4}auth_request \/_forward_auth;\n/m,
  caddy: /^http:\/\/[^\n]*\{\n\troute \{\n(?:\t\t.*\n|\n)*?\t\tforward_auth [^\n]*\{\n/m,
  envoy: ENVOY_LEVEL,
  "envoy over grpc": ENVOY_LEVEL,
  traefik: /^ {6}rule: PathPrefix\(`\/`\)\n(?: {6}.*\n)*? {6}middlewares: \[delete-forged, svc-authorizer, /m,
};

it.each(PROGRAM_NAMES)("the configuration of %s protects at server level (spec/security §2.1)", (name) => {
  const upstreams = { dataServerPort: 2, authorizerPort: 3, proxyToken: "t" };
  expect(configuration(name, "/tmp/x", 1, upstreams)).toMatch(AT_SERVER_LEVEL[name]);
});

it.each(PROGRAM_NAMES)("the documentation has a configuration of %s", (name) => {
  const text = configuration(name, "/tmp/x", 1, { dataServerPort: 2, authorizerPort: 3, proxyToken: "t" });
  expect(text).toMatch(/127\.0\.0\.1(?::|, port_value: )3\b/);
});
