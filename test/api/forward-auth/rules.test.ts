/** Rules of spec/security §2 that no other test holds alone; test/security-rules.md names the test of every rule. */

import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { ACCESS_KEYS, S3_DOMAIN, SECRET, startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { sign, type ToSign } from "../../identity/naive-signer.ts";
import { type Answer, ask, basic, type Headers, HOST, METHODS, READ, TOKEN, told } from "./ask.ts";

const authorizer = await closedAfterAll(startBehindProxy("nginx"));

const call = (headers: Headers, path = "/forward-auth", method = "GET") =>
  ask(authorizer.url, path, headers, method);
const as = (user: string, uri: string, method = "GET", ...more: Headers) =>
  call([...told(uri, method), basic(user), ...more]);

/** Writes a request byte by byte and gives the first line of the answer. */
function firstLine(lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(authorizer.url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write([...lines, "Connection: close", "", ""].join("\r\n")),
    );
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    socket.on("error", reject).on("close", () => resolve(received.split("\r\n")[0] ?? ""));
  });
}

const stamp = (at = Date.now()): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");

/** A signed request of `writer`, as nginx tells of it; `told` is what the client sends beside or instead. */
function signedRequest(change: Partial<ToSign> = {}, sent: Readonly<Record<string, string>> = {}, told = {}) {
  const timestamp = change.timestamp ?? stamp();
  const request = sign({
    form: "header",
    method: "GET",
    path: "/data/main/a",
    query: [],
    headers: { host: S3_DOMAIN },
    accessKeyId: ACCESS_KEYS.get("writer") as string,
    secret: SECRET,
    timestamp,
    expires: "60",
    payload: "UNSIGNED-PAYLOAD",
    algorithm: "AWS4-HMAC-SHA256",
    scope: [timestamp.slice(0, 8), "us-east-1", "s3", "aws4_request"],
    ...change,
  });
  const { method, path, query } = { ...request, ...told };
  const headers = new Map([...request.headers, ...Object.entries(sent)]);
  const host = headers.get("host") as string;
  headers.delete("host");
  const length = headers.get("content-length");
  headers.delete("content-length");
  return call([
    HOST,
    TOKEN,
    ["X-Original-Method", method],
    ["X-Original-URI", query === "" ? path : `${path}?${query}`],
    ["X-Original-Host", host],
    ...(length === undefined ? [] : ([["X-Original-Content-Length", length]] as const)),
    ...headers,
  ]);
}
const codeOf = ({ status, body }: Answer) =>
  status === 200 ? "passes" : `${status} ${/<Code>(\w+)</.exec(body)?.[1] ?? "JSON"}`;

describe("spec/security §2.0: who may ask", () => {
  it.each(["/healthz", "/readyz", "/api/v1/healthcheck", "/.well-known/authzen-configuration"])(
    "%s needs no token",
    async (path) => {
      expect((await call([HOST], path)).status).toBeLessThan(300);
    },
  );

  it("an allowed request passes only for a trusted peer, whatever it knows", async () => {
    const elsewhere = await startBehindProxy("nginx", { "authorizer.trusted_proxies": ["192.0.2.1"] });
    try {
      const answer = await ask(elsewhere.url, "/forward-auth", [
        ...told(),
        basic("writer"),
        ["X-Forwarded-For", "192.0.2.1"],
        ["X-Real-IP", "192.0.2.1"],
      ]);
      expect(answer.status).toBe(403);
      const error = await ask(elsewhere.url, "/forward-auth/error", [HOST, TOKEN, ["X-Svc-Error", "x"]]);
      expect(error.body).toContain("no trusted proxy");
    } finally {
      await elsewhere.close();
    }
  });
});

describe("spec/security §2.1: only what the proxy tells is read", () => {
  it("a request with so many headers that some could be lost is 403", async () => {
    const filler = Array.from({ length: 600 }, () => ["a", ""] as const);
    const answer = await call([...told(), basic("writer"), ...filler]);
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("too many headers")]);
    expect((await call([...told(), basic("writer"), ...filler.slice(200)])).status).toBe(200);
  });

  it("the error path needs the proxy's token too", async () => {
    const error: Headers = [HOST, ["X-Svc-Error", "SignatureDoesNotMatch"]];
    expect((await call(error, "/forward-auth/error")).body).toContain("proxy token");
    expect((await call([...error, TOKEN], "/forward-auth/error")).body).toContain("SignatureDoesNotMatch");
  });

  it("only nginx, which loses the bodies of refusals, has the error path", async () => {
    const caddy = await startBehindProxy("caddy");
    try {
      const answer = await ask(caddy.url, "/forward-auth/error", [
        HOST,
        TOKEN,
        ["X-Svc-Error", "AccessDenied"],
      ]);
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("as caddy does")]);
    } finally {
      await caddy.close();
    }
  });

  it("headers in which clients override the method are not read", async () => {
    const write = told(`${READ}/b`, "DELETE");
    const overridden: Headers = [
      ["X-HTTP-Method-Override", "GET"],
      ["X-HTTP-Method", "GET"],
      ["X-Method-Override", "GET"],
      ["X-Forwarded-Method", "GET"],
      ["X-Forwarded-Uri", "/api/v1/healthcheck"],
    ];
    expect((await call([...write, ...overridden])).status).toBe(401);
    expect((await call([...told("/api/v1/repositories/other"), basic("writer"), ...overridden])).status).toBe(
      403,
    );
  });
});

describe("spec/security §2.2: nothing but an allow is 2xx", () => {
  it.each(METHODS)("%s: a conditional or ranged request gets no 2xx or 304 of its own", async (method) => {
    const conditional: Headers = [
      ["If-None-Match", "*"],
      ["If-Modified-Since", "Thu, 01 Jan 2099 00:00:00 GMT"],
      ["Range", "bytes=0-0"],
      ["Access-Control-Request-Method", "GET"],
      ["Origin", "https://example.com"],
    ];
    expect((await call([...told(), ...conditional], "/forward-auth", method)).status).toBe(401);
    expect((await call([...told(), basic("writer"), ...conditional], "/forward-auth", method)).status).toBe(
      200,
    );
  });

  it.each([
    "GET /forward-auth/../healthz",
    "GET /forward-auth/%2e%2e/healthz",
    "GET /forward-auth//healthz",
    "GET //forward-auth",
    "GET /%66orward-auth",
    "GET /Forward-Auth",
    "GET http://x/forward-auth",
    "GET http://x/healthz/forward-auth",
    "GET http://x/healthz?/forward-auth",
    "OPTIONS *",
    "CONNECT x:80",
  ])("%s is no way round", async (start) => {
    const lines = [
      `${start} HTTP/1.1`,
      ...[...told(), basic("writer")].map(([name, value]) => `${name}: ${value}`),
    ];
    expect(await firstLine(lines)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe("spec/security §2.3: what the answer tells", () => {
  it("every 200 names the user, and no other answer does", async () => {
    expect((await as("writer", READ)).headers["x-svc-user"]).toBe("writer");
    expect((await call(told("/api/v1/healthcheck"))).headers["x-svc-user"]).toBe("-");
    for (const answer of [await as("writer", "/api/v1/repositories/other"), await call(told())]) {
      expect(answer.headers["x-svc-user"]).toBeUndefined();
    }
  });

  it("a user whose name reads as nobody's is told apart", async () => {
    const { directory } = authorizer;
    await directory.users.create({ username: "-" });
    const { access_key_id, secret_access_key } = await directory.credentials.create("-");
    const authorization = Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64");
    const answer = await call([
      ...told("/api/v1/config/version"),
      ["Authorization", `Basic ${authorization}`],
    ]);
    expect([answer.status, answer.headers["x-svc-user"]]).toEqual([200, "%2D"]);
  });

  it("a refusal cannot be turned into markup or headers by who asks", async () => {
    const path = "/data/main/secret/%3Cb%3E&%0d%0aX-Svc-User:%20x";
    const answer = await signedRequest({
      path,
      signedPath: path.replace("&", "%26").replaceAll("%0d%0a", "%0D%0A").replace("r:", "r%3A"),
    });
    expect(codeOf(answer)).toBe("403 AccessDenied");
    expect(answer.body).toContain("<Resource>/data/main/secret/%3Cb%3E&amp;%0d%0aX-Svc-User:%20x</Resource>");
    expect(answer.headers["x-svc-user"]).toBeUndefined();
    expect(answer.headers["x-svc-reason"]).toMatch(/^[\w%.~'()*!-]+$/);
  });
});

describe("spec/security §2.4 and spec/security §2.5: what is open needs everything", () => {
  const DELETE_MANY = "/api/v1/repositories/data/branches/main/objects/delete";

  it("rows that read a body need every resource; with authorizer.forward_auth.body: deny they are refused", async () => {
    expect((await as("jürgen müller", DELETE_MANY, "POST")).status).toBe(200);
    expect((await as("writer", DELETE_MANY, "POST")).status).toBe(403);
    const denying = await startBehindProxy("nginx", { "authorizer.forward_auth.body": "deny" });
    try {
      const headers = [...told(DELETE_MANY, "POST"), basic("jürgen müller")];
      expect((await ask(denying.url, "/forward-auth", headers)).status).toBe(403);
    } finally {
      await denying.close();
    }
  });

  it("rows that check items need the permission on every item; presign counts unless it is false", async () => {
    const list = "/api/v1/repositories/data/refs/main/objects/ls";
    expect((await as("writer", list)).status).toBe(200);
    expect((await as("writer", `${list}?presign=false`)).status).toBe(200);
    for (const presign of ["true", "1", "False", "", "0"]) {
      expect((await as("writer", `${list}?presign=${presign}`)).status, presign).toBe(403);
    }
    expect((await as("writer", "/api/v1/repositories")).status).toBe(403);
  });
});

describe("spec/security §2.6: one table, one credential", () => {
  const other = "/api/v1/repositories/other";
  const cookie = ["Cookie", "internal_auth_session=MTcwfGFiYw"] as const;

  it.each<[string, number, Headers]>([
    ["a key and a session of the data server", 401, [basic("writer"), cookie]],
    ["a key and such a session in a second Cookie header", 401, [basic("writer"), ["Cookie", "a=b"], cookie]],
    ["a key and an OIDC session", 401, [basic("writer"), ["Cookie", "a=b;oidc_auth_session=x"]]],
    ["a key and a SAML session", 401, [basic("writer"), ["Cookie", "saml_auth_session=x"]]],
    [
      "a key and other cookies",
      200,
      [basic("writer"), ["Cookie", "my_internal_auth_session=x; a=internal_auth_session"]],
    ],
    ["a session of the data server alone", 401, [cookie]],
  ])("%s: %i", async (_what, status, headers) => {
    expect((await call([...told(), ...headers])).status).toBe(status);
  });

  it("a signature and a session of the data server are refused: the server would act for the session's user", async () => {
    expect(codeOf(await signedRequest())).toBe("passes");
    expect(codeOf(await signedRequest({}, { cookie: cookie[1] }))).toBe("401 JSON");
    expect(codeOf(await signedRequest({ form: "presigned" }))).toBe("passes");
    expect(codeOf(await signedRequest({ form: "presigned" }, { cookie: cookie[1] }))).toBe("401 JSON");
  });

  it("credentials of the main API open nothing at the S3 gateway, nor the other way round", async () => {
    const atGateway = told("/data/main/a").map(
      ([name, value]) => [name, name === "X-Original-Host" ? S3_DOMAIN : value] as const,
    );
    expect(codeOf(await call([...atGateway, basic("writer")]))).toBe("403 AccessDenied");
    expect(codeOf(await call([...atGateway, ["Authorization", "Bearer a.b.c"]]))).toBe("403 AccessDenied");
    expect((await signedRequest({ path: READ })).status).toBe(403);
    // The data server drops this pair, so the request is the main API's.
    expect(codeOf(await call(told(`${READ}?X-Amz-Signature=1;`)))).toBe("401 JSON");
    expect((await as("writer", `${other}?X-Amz-Credential=x`)).status).toBe(401);
  });

  it("Signature V2 and SigV4A are refused", async () => {
    const key = ACCESS_KEYS.get("writer");
    for (const authorization of [`AWS ${key}:c2ln`, "AWS4-ECDSA-P256-SHA256 Credential=x"]) {
      expect((await call([...told("/data/main/a"), ["Authorization", authorization]])).status).toBe(401);
    }
    expect(
      (await call(told(`/data/main/a?AWSAccessKeyId=${key}&Signature=x&Expires=9999999999`))).status,
    ).toBe(403);
  });
});

describe("spec/security §2.8: what is signed", () => {
  it.each<[string, string, Parameters<typeof signedRequest>]>([
    ["sound", "passes", []],
    ["presigned", "passes", [{ form: "presigned" }]],
    [
      "a copy source added to a presigned PUT",
      "403 AccessDenied",
      [{ form: "presigned", method: "PUT" }, { "x-amz-copy-source": "data/main/secret/a" }],
    ],
    [
      "a PUT with the client's own Content-Length signed",
      "passes",
      [{ method: "PUT", headers: { host: S3_DOMAIN, "content-length": "12" } }],
    ],
    [
      "another Content-Length than was signed",
      "403 SignatureDoesNotMatch",
      [{ method: "PUT", headers: { host: S3_DOMAIN, "content-length": "12" } }, { "content-length": "13" }],
    ],
    ["another host than was signed", "403 SignatureDoesNotMatch", [{}, { host: `data.${S3_DOMAIN}` }]],
    ["another path than was signed", "403 SignatureDoesNotMatch", [{}, {}, { path: "/data/main/b" }]],
    ["another method than was signed", "403 SignatureDoesNotMatch", [{}, {}, { method: "HEAD" }]],
    ["a session token", "403 AccessDenied", [{}, { "x-amz-security-token": "t" }]],
    ["20 minutes ago", "403 RequestTimeTooSkewed", [{ timestamp: stamp(Date.now() - 20 * 60_000) }]],
    [
      "presigned for longer than a week",
      "403 AuthorizationQueryParametersError",
      [{ form: "presigned", expires: "604801" }],
    ],
  ])("%s: %s", async (_what, outcome, asked) => {
    expect(codeOf(await signedRequest(...asked))).toBe(outcome);
  });

  it("a repeated x-amz header is refused, since servers differ in which they read", async () => {
    const twice: Headers = [
      ["X-Amz-Meta-A", "1"],
      ["x-amz-meta-a", "1"],
    ];
    expect((await as("writer", READ, "GET", ...twice)).status).toBe(403);
  });
});
