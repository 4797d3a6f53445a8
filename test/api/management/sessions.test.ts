import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { callTarget, KEYS, startManagement } from "./kit.ts";

const api = await closedAfterAll(startManagement({ "auth.cache.ttl": "50ms", "auth.cache.jitter": "0s" }));
beforeEach(() => api.authorizer.reset());

async function logIn(who: keyof typeof KEYS) {
  const answer = await api.call(undefined, "POST", "/auth/login", { body: KEYS[who] });
  const cookie = answer.headers.get("set-cookie") ?? "";
  return {
    ...answer,
    token: answer.json?.token as string,
    cookie: cookie.split(";")[0] ?? "",
    setCookie: cookie,
  };
}

const withCookie = (cookie: string, method: string, path: string, headers: Record<string, string> = {}) =>
  api.call(undefined, method, path, { headers: { cookie, ...headers } });

describe("log-in", () => {
  it("gives a token, also as a cookie that scripts and other sites do not get", async () => {
    const { status, json, headers, setCookie, token } = await logIn("viewer");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(json.token_expiration).toBeGreaterThan(Date.now() / 1000);
    expect(setCookie).toContain(`access_token=${token}`);
    for (const attribute of ["HttpOnly", "SameSite=Strict", "Path=/"]) expect(setCookie).toContain(attribute);
    expect(setCookie).not.toMatch(/Secure|Domain/);
    const behindTls = await api.call(undefined, "POST", "/auth/login", {
      body: KEYS.viewer,
      headers: { "x-forwarded-proto": "https" },
    });
    expect(behindTls.headers.get("set-cookie")).toContain("Secure");
  });

  it("gives a token for as long as the caller asks, up to auth.login_max_duration", async () => {
    const ask = (token_expiration_duration: unknown) =>
      api.call(undefined, "POST", "/auth/login", { body: { ...KEYS.viewer, token_expiration_duration } });
    const before = Math.floor(Date.now() / 1000);
    const { status, json, headers } = await ask(120);
    expect(status).toBe(200);
    expect(json.token_expiration - before).toBeGreaterThanOrEqual(120);
    expect(json.token_expiration - before).toBeLessThan(180);
    expect(Number(/Max-Age=(\d+)/.exec(headers.get("set-cookie") ?? "")?.[1])).toBeLessThanOrEqual(120);
    for (const seconds of [0, 1.5, "60", 168 * 3600 + 1]) {
      const refused = await ask(seconds);
      expect(refused.status, String(seconds)).toBe(400);
      expect(refused.headers.get("set-cookie")).toBeNull();
    }
  });

  it("lets the token be used as bearer and as cookie", async () => {
    const { token, cookie } = await logIn("viewer");
    expect((await api.call({ token }, "GET", "/user")).json.user.id).toBe("viewer");
    expect((await withCookie(cookie, "GET", "/user")).json.user.id).toBe("viewer");
  });

  it("is refused in the same words for an unknown key and a wrong secret, and audited without secrets", async () => {
    const attempts = [
      { ...KEYS.viewer, secret_access_key: "a wrong secret of somebody" },
      { access_key_id: "somebody's secret in the wrong field", secret_access_key: "x" },
    ];
    for (const body of attempts) {
      const { status, json } = await api.call(undefined, "POST", "/auth/login", { body });
      expect({ status, json }).toEqual({ status: 401, json: { message: "error authenticating request" } });
    }
    const failed = () => api.audit().filter(({ event }) => event === "authentication_failed");
    await expect.poll(() => failed().length).toBeGreaterThan(1);
    expect(failed().at(-2)).toMatchObject({
      access_key_id: KEYS.viewer.access_key_id,
      source_ip: "127.0.0.1",
    });
    expect(JSON.stringify(failed())).not.toMatch(/wrong secret|wrong field/);
  });

  it("needs both texts", async () => {
    const { status, json } = await api.call(undefined, "POST", "/auth/login", { body: { access_key_id: 1 } });
    expect(status).toBe(400);
    expect(json.message).toBe("/access_key_id: expected a string; /secret_access_key: required");
  });

  it("takes no form of another site", async () => {
    const form = await api.call(undefined, "POST", "/auth/login", {
      body: "access_key_id=x",
      headers: { "content-type": "text/plain" },
    });
    expect(form.status).toBe(400);
  });
});

describe("a token ends", () => {
  it("when its user logs out, everywhere", async () => {
    const { token, cookie } = await logIn("viewer");
    const out = await withCookie(cookie, "POST", "/auth/logout", { "sec-fetch-site": "same-origin" });
    expect(out.status).toBe(204);
    expect(out.headers.get("set-cookie")).toMatch(/^access_token=;.*Max-Age=0/);
    await expect.poll(async () => (await api.call({ token }, "GET", "/user")).status).toBe(401);
  });

  it("when its user is deleted, also for a new user of the name", async () => {
    const { token } = await logIn("viewer");
    await api.call("admin", "DELETE", "/auth/users/viewer");
    await expect.poll(async () => (await api.call({ token }, "GET", "/user")).status).toBe(401);
    await api.call("admin", "POST", "/auth/users", { body: { id: "viewer" } });
    expect((await api.call({ token }, "GET", "/user")).status).toBe(401);
  });

  it("when its key is deleted", async () => {
    const { token } = await logIn("viewer");
    await api.call("admin", "DELETE", `/auth/users/viewer/credentials/${KEYS.viewer.access_key_id}`);
    await expect.poll(async () => (await api.call({ token }, "GET", "/user")).status).toBe(401);
  });
});

it("the data server's own tokens are no users", async () => {
  expect((await api.call({ token: api.authorizer.token }, "GET", "/user")).status).toBe(401);
});

it.each(["Basic", "Basic !!", "Basic Og", "Negotiate x", "Bearer", "Bearer a b", ""])(
  "an Authorization header %j is nobody's, whatever cookie comes with it",
  async (authorization) => {
    const { cookie } = await logIn("viewer");
    expect((await withCookie(cookie, "GET", "/user", { authorization })).status).toBe(401);
  },
);

it("of two cookies of the name neither is believed", async () => {
  const { cookie } = await logIn("viewer");
  expect((await withCookie(`${cookie}; ${cookie}`, "GET", "/user")).status).toBe(401);
  expect((await withCookie(`other=1; ${cookie}`, "GET", "/user")).status).toBe(200);
});

describe("guessing", () => {
  it("is slowed, while the right secret is served at once", async () => {
    const wrong = { ...KEYS.plain, secret_access_key: "guess" };
    let last = await api.call(wrong, "GET", "/user");
    for (let attempt = 0; attempt < 40 && last.status === 401; attempt++)
      last = await api.call(wrong, "GET", "/user");
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api.call("plain", "GET", "/user")).status).toBe(200);
    expect((await api.call(undefined, "POST", "/auth/login", { body: KEYS.plain })).status).toBe(200);
  });
});

describe("a write with a cookie", () => {
  const write = async (headers: Record<string, string>) => {
    const { cookie } = await logIn("viewer");
    return (await withCookie(cookie, "POST", "/auth/users/viewer/credentials", headers)).status;
  };
  const own = () => new URL(api.authorizer.userUrl);

  it.each([
    ["Sec-Fetch-Site: same-origin", () => ({ "sec-fetch-site": "same-origin" }), 201],
    ["its own Origin", () => ({ origin: own().origin }), 201],
    ["nothing that shows where it comes from", () => ({}), 403],
    ["Sec-Fetch-Site: none", () => ({ "sec-fetch-site": "none" }), 403],
    ["Sec-Fetch-Site: same-site", () => ({ "sec-fetch-site": "same-site" }), 403],
    ["Sec-Fetch-Site: cross-site", () => ({ "sec-fetch-site": "cross-site" }), 403],
    ["a foreign Origin", () => ({ origin: "https://evil.example" }), 403],
    ["Origin: null", () => ({ origin: "null" }), 403],
    ["the Origin of another port", () => ({ origin: `http://${own().hostname}:1` }), 403],
    ["the Origin of another scheme", () => ({ origin: own().origin.replace("http:", "https:") }), 403],
  ] as const)("with %s", async (_title, headers, status) => {
    expect(await write(headers())).toBe(status);
  });

  it("changes nothing where it is refused, and reads go on", async () => {
    const { cookie } = await logIn("viewer");
    const refused = await withCookie(cookie, "POST", "/auth/users/viewer/credentials", {
      "sec-fetch-site": "cross-site",
    });
    expect(refused.json.message).toContain("Sec-Fetch-Site");
    const { json } = await withCookie(cookie, "GET", "/auth/users/viewer/credentials", {
      "sec-fetch-site": "cross-site",
    });
    expect(json.results.length).toBe(1);
  });
});

it("a write with a key is refused only where a browser says that another site makes it", async () => {
  const write = (headers: Record<string, string>) =>
    api.call("viewer", "POST", "/auth/users/viewer/credentials", { headers });
  expect((await write({})).status).toBe(201);
  expect((await write({ origin: "https://elsewhere.example" })).status).toBe(201);
  expect((await write({ "sec-fetch-site": "cross-site" })).status).toBe(403);
});

describe("browsers", () => {
  it("get security headers and no permission for other origins", async () => {
    for (const target of ["/api/v1/user", "/nothing", "/healthz", "/auth/invite"]) {
      const { headers } = await callTarget(api.authorizer.userUrl, "GET", target, {
        headers: { origin: "https://elsewhere.example" },
      });
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  it("are told by every listener not to guess what an answer is", async () => {
    const { url, userUrl, metricsUrl } = api.authorizer;
    for (const listener of [url, userUrl, metricsUrl]) {
      for (const target of ["/healthz", "/nothing", "/api/v1/auth/users", "/metrics", "/openapi.json"]) {
        const { headers } = await fetch(listener + target);
        expect(headers.get("x-content-type-options"), `${listener}${target}`).toBe("nosniff");
      }
    }
  });

  it("get no preflight answered", async () => {
    const { headers, status } = await callTarget(api.authorizer.userUrl, "OPTIONS", "/api/v1/auth/users", {
      headers: { origin: "https://elsewhere.example", "access-control-request-method": "POST" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("allow")).toBe("GET, POST, OPTIONS");
  });
});
