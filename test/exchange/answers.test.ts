import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CheckAnswer, EnvoyClient } from "../api/ext-authz/envoy-client.ts";
import { ask, type Headers } from "../api/forward-auth/ask.ts";
import { isSignedByKey, SERVER_KEY } from "./one-key-server.ts";
import {
  ACCESS_KEYS,
  basicOf,
  EXCHANGE,
  PROXY_TOKEN,
  S3_DOMAIN,
  SECRET,
  signedBy,
  startExchange,
  timestamp,
} from "./start-exchange.ts";

const BRANCHES = "/api/v1/repositories/data/branches";
const BASIC = `Basic ${Buffer.from(`${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`).toString("base64")}`;

async function started(proxy: string, config: Record<string, unknown> = {}): Promise<TestAuthorizer> {
  const authorizer = await startExchange(proxy, config);
  onTestFinished(() => authorizer.close());
  return authorizer;
}

const toNginx = (method: string, uri: string, host: string, headers: Headers): Headers => [
  ["host", "authorizer"],
  ["x-svc-proxy-token", PROXY_TOKEN],
  ["x-original-method", method],
  ["x-original-uri", uri],
  ["x-original-host", host],
  ...headers.filter(([name]) => name !== "host"),
];

describe("the credential of the one key (spec/exchange §3)", () => {
  let authorizer: TestAuthorizer;
  beforeAll(async () => {
    authorizer = await startExchange("nginx");
  });
  afterAll(() => authorizer?.close());
  const asked = (method: string, uri: string, host: string, headers: Headers) =>
    ask(authorizer.url, "/forward-auth", toNginx(method, uri, host, headers));

  it("is Basic for the main API, from a key and from a login token", async () => {
    const login = await fetch(`${authorizer.userUrl}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_key_id: ACCESS_KEYS.get("writer"), secret_access_key: SECRET }),
    });
    const { token } = (await login.json()) as { token: string };
    for (const credential of [
      ["authorization", basicOf("writer")],
      ["authorization", `Bearer ${token}`],
      ["cookie", `access_token=${token}`],
    ] as const) {
      const { status, headers } = await asked("GET", BRANCHES, "data.example.com", [credential]);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "x-svc-user": "writer",
        "x-svc-upstream-authorization": BASIC,
        "cache-control": "no-store",
      });
      expect(headers["x-svc-upstream-uri"]).toBeUndefined();
    }
  });

  it.each([
    ["a read", "GET", "/data/main/a", {}],
    ["an odd key", "GET", "/data/main/a%20b+c%2Fd%C3%A4", {}],
    ["a listing", "GET", "/data?list-type=2&prefix=main%2F&x=a+b", {}],
    ["a copy", "PUT", "/data/main/b", { "x-amz-copy-source": "/data/main/a", "x-amz-acl": "private" }],
    [
      "an unsigned body",
      "PUT",
      "/data/main/b",
      { "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "content-type": "a/b" },
    ],
  ] as [string, string, string, Record<string, string>][])(
    "is a signature over the host and all x-amz headers for S3: %s",
    async (_what, method, uri, more) => {
      const { headers } = signedBy("writer", method, uri, { headers: more });
      const answer = await asked(method, uri, S3_DOMAIN, headers);
      expect(answer.status).toBe(200);
      const upstream = {
        ...Object.fromEntries(headers),
        authorization: String(answer.headers["x-svc-upstream-authorization"]),
      };
      expect(isSignedByKey({ method, target: uri, headers: upstream })).toBe(true);
      expect(upstream.authorization).toContain(SERVER_KEY.accessKeyId);
      // What was decided is what arrives: nothing can be added or changed on the way.
      expect(isSignedByKey({ method, target: `${uri}x`, headers: upstream })).toBe(false);
      expect(isSignedByKey({ method, target: uri, headers: { ...upstream, "x-amz-meta-a": "b" } })).toBe(
        false,
      );
      expect(isSignedByKey({ method, target: uri, headers: { ...upstream, host: "other" } })).toBe(false);
    },
  );

  it.each([
    ["a range", { range: "bytes=0-1", "amz-sdk-request": "attempt=1" }, "amz-sdk-request;host;range;"],
    ["what a proxy may change", { range: "bytes=0-1", "accept-encoding": "identity" }, "host;"],
  ] as [string, Record<string, string>, string][])(
    "signs of a client's other headers those that no proxy touches, if it signed no more: %s",
    async (_what, more, expected) => {
      const { headers } = signedBy("writer", "GET", "/data/main/a", { headers: more });
      const { headers: answer } = await asked("GET", "/data/main/a", S3_DOMAIN, headers);
      const authorization = String(answer["x-svc-upstream-authorization"]);
      expect(authorization).toContain(`SignedHeaders=${expected}x-amz-content-sha256;x-amz-date,`);
      const upstream = { ...Object.fromEntries(headers), authorization };
      expect(isSignedByKey({ method: "GET", target: "/data/main/a", headers: upstream })).toBe(true);
    },
  );

  it("signs a presigned URL in place, for the 15 minutes that the data server takes it", async () => {
    const { uri } = signedBy("writer", "GET", "/data/main/a?response-content-type=a%2Fb", {
      form: "presigned",
    });
    const { status, headers } = await asked("GET", uri, S3_DOMAIN, []);
    expect(status).toBe(200);
    const authorization = String(headers["x-svc-upstream-authorization"]);
    expect(isSignedByKey({ method: "GET", target: uri, headers: { host: S3_DOMAIN, authorization } })).toBe(
      true,
    );
    const early = timestamp(Date.now() - 16 * 60_000);
    const old = signedBy("writer", "GET", "/data/main/a", {
      form: "presigned",
      timestamp: early,
      scope: [early.slice(0, 8), "us-east-1", "s3", "aws4_request"],
      expires: "3600",
    });
    const refused = await asked("GET", old.uri, S3_DOMAIN, []);
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("15 minutes");
  });

  it("rewrites a presigned URL, so that it lives as long as it says", async () => {
    const rewriting = await started("nginx", { "authorizer.exchange.presigned": "rewrite" });
    const early = timestamp(Date.now() - 3 * 3_600_000);
    const { uri } = signedBy("writer", "GET", "/data/main/a?response-content-type=a%2Fb", {
      form: "presigned",
      timestamp: early,
      scope: [early.slice(0, 8), "us-east-1", "s3", "aws4_request"],
      expires: "86400",
    });
    const { status, headers } = await ask(rewriting.url, "/forward-auth", toNginx("GET", uri, S3_DOMAIN, []));
    expect(status).toBe(200);
    const target = String(headers["x-svc-upstream-uri"]);
    expect(target).toBe("/data/main/a?response-content-type=a%2Fb");
    const upstream = {
      host: S3_DOMAIN,
      "x-amz-date": String(headers["x-svc-upstream-date"]),
      authorization: String(headers["x-svc-upstream-authorization"]),
    };
    expect(isSignedByKey({ method: "GET", target, headers: upstream })).toBe(true);
  });

  it("refuses presigned URLs where the configuration says so", async () => {
    const refusing = await started("nginx", { "authorizer.exchange.presigned": "refuse" });
    const { uri } = signedBy("writer", "GET", "/data/main/a", { form: "presigned" });
    const answer = await ask(refusing.url, "/forward-auth", toNginx("GET", uri, S3_DOMAIN, []));
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("presigned") });
  });

  it("is never given to a client that shows the key itself, registered here or not", async () => {
    const own = `Basic ${Buffer.from(`${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`).toString("base64")}`;
    const unknown = await asked("GET", BRANCHES, "data.example.com", [["authorization", own]]);
    expect(unknown.status).toBe(401);
    const mistaken = await started("nginx", {
      "authorizer.exchange.access_key_id": ACCESS_KEYS.get("administrator"),
    });
    const headers = toNginx("GET", BRANCHES, "data.example.com", [
      ["authorization", basicOf("administrator")],
    ]);
    const answer = await ask(mistaken.url, "/forward-auth", headers);
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("data server's own") });
    expect(JSON.stringify(answer.headers)).not.toContain("upstream");
  });

  it("goes to nobody without the proxy token", async () => {
    const headers = toNginx("GET", BRANCHES, "data.example.com", [["authorization", basicOf("writer")]]);
    const bare = headers.filter(([name]) => name !== "x-svc-proxy-token");
    const answer = await ask(authorizer.url, "/forward-auth", bare);
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer)).not.toContain(BASIC);
  });
});

describe("the header by proxy (spec/exchange §3)", () => {
  it.each(["caddy", "traefik"])("%s", async (proxy) => {
    const authorizer = await started(proxy);
    const { status, headers } = await ask(authorizer.url, "/forward-auth", [
      ["host", "authorizer"],
      ["x-svc-proxy-token", PROXY_TOKEN],
      ["x-forwarded-method", "GET"],
      ["x-forwarded-uri", BRANCHES],
      ["x-forwarded-host", "data.example.com"],
      ["authorization", basicOf("writer")],
    ]);
    expect(status).toBe(200);
    const name = proxy === "traefik" ? "authorization" : "x-svc-upstream-authorization";
    expect(headers[name]).toBe(BASIC);
  });

  it("envoy", async () => {
    const authorizer = await started("envoy");
    const { headers } = await ask(authorizer.url, `/forward-auth/envoy${BRANCHES}`, [
      ["host", "data.example.com"],
      ["x-svc-proxy-token", PROXY_TOKEN],
      ["authorization", basicOf("writer")],
    ]);
    expect(headers["authorization"]).toBe(BASIC);
  });
});

describe("over gRPC (spec/exchange §2)", () => {
  const DECIDER = "a-token-with-the-scope-decide-0123456789";
  const metadata = { authorization: `Bearer ${DECIDER}`, "x-svc-proxy-token": PROXY_TOKEN };
  let authorizer: TestAuthorizer;
  let envoy: EnvoyClient;
  beforeAll(async () => {
    authorizer = await startExchange("off", {
      "authorizer.ext_authz.listen_address": "127.0.0.1:0",
      "authorizer.tokens": [{ name: "envoy", token: DECIDER, scopes: ["decide"] }],
    });
    envoy = new EnvoyClient(authorizer.extAuthz as string);
  });
  afterAll(async () => {
    envoy?.close();
    await authorizer?.close();
  });
  const set = ({ ok_response: ok }: CheckAnswer) =>
    Object.fromEntries(ok?.headers.map(({ header }) => [header.key, header.value]) ?? []);

  it("the credential replaces the client's, and other credentials are removed", async () => {
    const asked = { path: BRANCHES, headers: [["authorization", basicOf("writer")]] } as const;
    const answer = await envoy.check(asked, metadata);
    expect(answer.status.code).toBe(0);
    expect(set(answer)).toMatchObject({ authorization: BASIC, "x-svc-user": "writer" });
    const removed = answer.ok_response?.headers_to_remove ?? [];
    expect(removed).toEqual(expect.arrayContaining(["cookie", "x-amz-security-token", "x-svc-proxy-token"]));
    expect(removed).not.toContain("authorization");
  });

  it("an open row goes upstream without any credential", async () => {
    const answer = await envoy.check({ path: "/api/v1/healthcheck" }, metadata);
    expect(answer.status.code).toBe(0);
    expect(set(answer)["authorization"]).toBeUndefined();
    expect(answer.ok_response?.headers_to_remove).toContain("authorization");
  });

  it.each([
    ["without the proxy token", { authorization: `Bearer ${DECIDER}` }],
    ["with another proxy token", { authorization: `Bearer ${DECIDER}`, "x-svc-proxy-token": "x".repeat(48) }],
  ])("the scope decide %s gets no key", async (_what, shown) => {
    const asked = { path: BRANCHES, headers: [["authorization", basicOf("writer")]] } as const;
    const answer = await envoy.check(asked, shown);
    expect(answer.denied_response?.status.code).toBe(403);
    expect(JSON.stringify(answer)).not.toContain(BASIC);
  });
});

describe("the configuration", () => {
  it("is refused at the start without a proxy token, and never shows the secret", async () => {
    const { "authorizer.forward_auth.proxy_token": _, ...others } = EXCHANGE;
    const failure = await startExchange("nginx", {}, others).catch((error: unknown) => error);
    expect(String(failure)).toContain("proxy_token");
    expect(JSON.stringify(failure) + String(failure)).not.toContain(SERVER_KEY.secret);
  });
});

describe("the log", () => {
  it("never has the key, whatever it says (spec/exchange §2)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "exchange-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = join(folder, "log");
    const authorizer = await started("nginx", {
      "logging.level": "TRACE",
      "logging.output": [log],
      "authorizer.audit.output": join(folder, "audit"),
      "authorizer.audit.decisions": "all",
    });
    for (const user of ["writer", "nearly"]) {
      const { uri, headers } = signedBy(user, "GET", "/data/main/a");
      await ask(authorizer.url, "/forward-auth", toNginx("GET", uri, S3_DOMAIN, headers));
      const own = [["authorization", basicOf(user)]] as const;
      await ask(authorizer.url, "/forward-auth", toNginx("GET", BRANCHES, "data.example.com", own));
    }
    await ask(
      authorizer.url,
      "/forward-auth",
      toNginx("GET", BRANCHES, "data.example.com", [["authorization", BASIC]]),
    );
    await authorizer.close();
    const written = ["log", "audit"].map((file) => readFileSync(join(folder, file), "utf8")).join("");
    expect(written).toContain("writer");
    for (const secret of [SERVER_KEY.secret, BASIC, BASIC.slice("Basic ".length), SECRET]) {
      expect(written).not.toContain(secret);
    }
  });
});
