import { connect } from "node:net";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { ask, basic, type Headers, HOST, login, METHODS, READ, TOKEN, told } from "./ask.ts";

describe("for nginx", () => {
  let authorizer: TestAuthorizer;
  beforeAll(async () => {
    authorizer = await startBehindProxy("nginx");
  });
  afterAll(() => authorizer?.close());
  const call = (headers: Headers, path = "/forward-auth", method = "GET") =>
    ask(authorizer.url, path, headers, method);

  it("an allowed request is 200 with user and decision id, and no body", async () => {
    const answer = await call([...told(), basic("writer")]);
    expect([answer.status, answer.headers["x-svc-user"], answer.body]).toEqual([200, "writer", ""]);
    expect(answer.headers["x-svc-decision-id"]).toMatch(/^[\w-]{8,}$/);
    expect(answer.headers["etag"]).toBeUndefined();
  });

  it("the name of a user is a header's, nobody is -", async () => {
    const named = await call([...told(), basic("jürgen müller")]);
    expect(decodeURIComponent(String(named.headers["x-svc-user"]))).toBe("jürgen müller");
    expect((await call(told("/api/v1/healthcheck"))).headers["x-svc-user"]).toBe("-");
  });

  it("a refused one is 403 with the reason and the decision id", async () => {
    const answer = await call([...told("/api/v1/repositories/other"), basic("writer")]);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toEqual({
      message: "insufficient permissions: not allowed to fs:ReadRepository",
    });
    expect(answer.headers["x-svc-decision-id"]).toMatch(/^[\w-]{8,}$/);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it("an unauthenticated one is 401 with WWW-Authenticate, without telling what was wrong", async () => {
    const nobody = await call(told());
    expect([nobody.status, nobody.headers["www-authenticate"]]).toEqual([
      401,
      'Basic realm="svc", charset="UTF-8"',
    ]);
    const wrong = await call([...told(), basic("writer", "wrong")]);
    const unknown = await call([
      ...told(),
      ["Authorization", `Basic ${Buffer.from("x:y").toString("base64")}`],
    ]);
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body]);
  });

  it("an unauthenticated one of a page is 401 without the dialog in which browsers ask for a password", async () => {
    for (const site of ["same-origin", "cross-site"]) {
      const nobody = await call([...told(), ["Sec-Fetch-Site", site]]);
      expect([nobody.status, nobody.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
  });

  it.each(METHODS)("%s of the subrequest itself changes nothing", async (method) => {
    const passed = await call([...told(), basic("writer")], "/forward-auth", method);
    expect(passed.status).toBe(200);
    const refused = await call(told(), "/forward-auth", method);
    expect(refused.status).toBe(401);
  });

  it.each(METHODS)("%s below the path is never 2xx elsewhere", async (method) => {
    for (const path of [
      "/forward-auth/",
      "/forward-auth/x",
      "/forward-authx",
      "/forward-auth/envoy/healthz",
      "/forward-auth/error",
    ]) {
      expect((await call([...told(), basic("writer")], path, method)).status, path).toBe(403);
    }
  });

  it.each([
    ["without method", "X-Original-Method"],
    ["without URI", "X-Original-URI"],
    ["without host", "X-Original-Host"],
    ["without the proxy's token", "X-Svc-Proxy-Token"],
  ])("a subrequest %s is 403, never a default", async (_what, missing) => {
    const headers = [...told(), basic("writer")].filter(([name]) => name !== missing);
    expect((await call(headers)).status).toBe(403);
  });

  it.each(["X-Original-Method", "X-Original-URI", "X-Original-Host", "X-Svc-Proxy-Token"])(
    "a subrequest with %s twice is 403",
    async (name) => {
      const again = told().find(([known]) => known === name) as readonly [string, string];
      expect((await call([...told(), basic("writer"), again])).status).toBe(403);
      expect((await call([...told(), basic("writer"), [name.toLowerCase(), again[1]]])).status).toBe(403);
    },
  );

  it("a wrong proxy token is 403", async () => {
    const headers = told().map(([name, value]) => [name, name === TOKEN[0] ? `${value}x` : value] as const);
    expect((await call([...headers, basic("writer")])).status).toBe(403);
  });

  it("an address that is none in X-Forwarded-For is 403", async () => {
    expect((await call([...told(), basic("writer"), ["X-Forwarded-For", "unknown"]])).status).toBe(403);
  });

  it("the forwarded address is what SourceIp is", async () => {
    const from = (address: string) => call([...told(), basic("officer"), ["X-Forwarded-For", address]]);
    expect((await from("10.1.1.1")).status).toBe(200);
    expect((await from("203.0.113.9")).status).toBe(403);
    expect((await from("10.1.1.1, 203.0.113.9")).status).toBe(403);
    expect((await from("203.0.113.9, 10.1.1.1")).status).toBe(200);
  });

  it("a service token opens nothing here", async () => {
    const headers: Headers = [...told(), ["Authorization", `Bearer ${authorizer.token}`]];
    expect((await call(headers)).status).toBe(401);
  });

  it("the query of the path itself is ignored", async () => {
    expect((await call(told(), "/forward-auth?X-Amz-Signature=1")).status).toBe(401);
    expect((await call([...told(), basic("writer")], "/forward-auth?a=b")).status).toBe(200);
  });

  it("too many failures stay 401, and the right secret passes all the same", async () => {
    for (let attempt = 0; attempt < 30; attempt++) {
      expect((await call([...told(), basic("writer", `wrong ${attempt}`)])).status).toBe(401);
    }
    expect((await call([...told(), basic("writer")])).status).toBe(200);
  });

  it("what nginx lost of a refusal comes back from the error path, and nothing else does", async () => {
    const error = (code: string, reason: string) =>
      call(
        [HOST, TOKEN, ["X-Svc-Error", code], ["X-Svc-Reason", reason], ["X-Original-URI", "/data/x?y"]],
        "/forward-auth/error",
      );
    const s3 = await error("SignatureDoesNotMatch", "a%20%3Cb%3E");
    expect([s3.status, s3.headers["content-type"]]).toEqual([403, "application/xml"]);
    expect(s3.body).toMatch(
      /<Code>SignatureDoesNotMatch<\/Code><Message>a &lt;b&gt;<\/Message><Resource>\/data\/x<\/Resource>/,
    );
    const main = await error("Unauthenticated", "who%20are%20you");
    expect([main.status, main.body]).toEqual([401, '{"message":"who are you"}']);
    for (const [code, reason] of [
      ["200", "x"],
      ["", ""],
      ["NotAllowed", "%zz"],
      ["NoSuchKey", "%00"],
    ] as const) {
      const other = await error(code, reason);
      expect(other.status).toBe(403);
      expect(other.body).not.toContain("\u0000");
    }
  });

  it("login tokens pass, as bearer and as cookie; a cookie only where no other site wrote the request", async () => {
    const token = await login(authorizer, "writer");
    expect((await call([...told(), ["Authorization", `Bearer ${token}`]])).headers["x-svc-user"]).toBe(
      "writer",
    );
    const cookie = ["Cookie", `access_token=${token}`] as const;
    expect((await call([...told(), cookie])).status).toBe(200);
    const write = told(`${READ}/b`, "DELETE");
    expect((await call([...write, cookie])).status).toBe(403);
    expect((await call([...write, cookie, ["Sec-Fetch-Site", "cross-site"]])).status).toBe(403);
    expect((await call([...write, cookie, ["Origin", "https://evil.example.com"]])).status).toBe(403);
    expect((await call([...write, cookie, ["Sec-Fetch-Site", "same-origin"]])).status).toBe(200);
    expect((await call([...write, ["Authorization", `Bearer ${token}`]])).status).toBe(200);
    expect((await call([...told(), cookie, basic("writer")])).status).toBe(401);
  });
});

describe("peers", () => {
  it("that are no trusted proxy are 403", async () => {
    const authorizer = await startBehindProxy("nginx", {
      "authorizer.trusted_proxies": ["127.0.0.2", "192.0.2.0/24"],
    });
    try {
      const headers = [...told(), basic("writer")];
      expect((await ask(authorizer.url, "/forward-auth", headers)).status).toBe(403);
      expect((await ask(authorizer.url, "/forward-auth", headers, "GET", "127.0.0.2")).status).toBe(200);
    } finally {
      await authorizer.close();
    }
  });

  it("get 403 while forward-auth is off, which it is by default", async () => {
    const authorizer = await startBehindProxy("off");
    try {
      const answer = await ask(authorizer.url, "/forward-auth", [...told(), basic("writer")]);
      expect([answer.status, answer.body]).toEqual([
        403,
        expect.stringContaining("authorizer.forward_auth.proxy"),
      ]);
    } finally {
      await authorizer.close();
    }
  });
});

describe("for envoy", () => {
  let authorizer: TestAuthorizer;
  beforeAll(async () => {
    authorizer = await startBehindProxy("envoy");
  });
  afterAll(() => authorizer?.close());
  const call = (path: string, method = "GET", user = "writer") =>
    ask(
      authorizer.url,
      `/forward-auth/envoy${path}`,
      [["Host", "data.example.com"], TOKEN, basic(user)],
      method,
    );

  it("the request is asked about at its own path with its own method", async () => {
    expect((await call(READ)).status).toBe(200);
    expect((await call("/api/v1/repositories/other")).status).toBe(403);
    expect((await call(READ, "DELETE")).status).toBe(403);
  });

  it.each(
    METHODS.flatMap((method) =>
      [
        "/healthz",
        "/readyz",
        "/../healthz",
        "//x",
        "/",
        "/openapi.json",
        "/access/v1/evaluation",
        "/.well-known/authzen-configuration",
      ].map((path) => [method, path] as const),
    ),
  )("%s %s is judged, not answered by a route of ours", async (method, path) => {
    expect((await call(path, method)).status).toBe(403);
  });

  it.each(["http://x/forward-auth/envoy/api/v1/healthcheck", "http://x/forward-auth", "*/forward-auth"])(
    "the target %s is refused",
    async (target) => {
      const { hostname, port } = new URL(authorizer.url);
      const text = await new Promise<string>((resolve, reject) => {
        let received = "";
        const socket = connect(Number(port), hostname, () => {
          const lines = [
            `GET ${target} HTTP/1.1`,
            "Host: x",
            `${TOKEN[0]}: ${TOKEN[1]}`,
            basic("writer").join(": "),
            "Connection: close",
          ];
          socket.write(`${lines.join("\r\n")}\r\n\r\n`);
        });
        socket.setEncoding("utf8").on("data", (piece) => {
          received += piece;
        });
        socket.on("error", reject).on("close", () => resolve(received));
      });
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    },
  );
});
