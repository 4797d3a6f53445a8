/** Each attack of spec/sign-in §8, by its name. */

import { request as httpRequest } from "node:http";
import { devNull } from "node:os";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { calculatePKCECodeChallenge } from "openid-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { freePort } from "../../free-port.ts";
import { TestBrowser } from "../browser.ts";
import { CLIENT, startProvider } from "../test-provider.ts";

const port = await freePort();
const OURS = `http://127.0.0.1:${port}`;
const CALLBACK = `${OURS}/oidc/callback`;
const provider = await closedAfterAll(startProvider([CALLBACK]));
const second = await closedAfterAll(startProvider([CALLBACK]));
/** It does not ask for PKCE. */
const lax = await closedAfterAll(startProvider([CALLBACK], { pkce: { required: () => false } } as never));

const client = {
  sign_in: true,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  username_claim: "preferred_username",
  create_users: true,
};
const KEY = {
  access_key_id: "AKIAJVICTIMVICTIMVIQ",
  secret_access_key: "the-secret-of-the-victim-of-one-test-0001",
};
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: { format: 1, users: [{ username: "victim", credentials: [KEY] }] } as never,
    config: {
      listen_address: `127.0.0.1:${port}`,
      "authorizer.audit.output": devNull,
      "authorizer.sign_in.origins": [OURS],
      "authorizer.forward_auth.proxy": "nginx",
      "authorizer.sts.enabled": true,
      "authorizer.oidc.issuers": [
        { ...client, name: "corp", issuer: provider.issuer },
        { ...client, name: "partner", issuer: second.issuer },
        { ...client, name: "lax", issuer: lax.issuer },
      ],
    } as never,
  }),
);

beforeEach(() => {
  for (const [one, name] of [
    [provider, "alice"],
    [second, "zoe"],
    [lax, "lou"],
  ] as const)
    one.claims = { sub: `sub-of-${name}`, preferred_username: name };
});
afterEach(() => authorizer.reset());

function signIn(browser: TestBrowser, next = "/after", issuer = "corp") {
  return browser.open(`${OURS}/oidc/login?${new URLSearchParams({ issuer, next })}`);
}

/** The address to which the provider sends the browser back, which it does not open. */
async function upToCallback(browser: TestBrowser, issuer = "corp"): Promise<URL> {
  const { url } = await browser.open(`${OURS}/oidc/login?issuer=${issuer}`, (at) => at.startsWith(CALLBACK));
  return new URL(url);
}

/** The user whom the management API finds, or the status. */
async function whoIs(headers: Record<string, string>): Promise<string | number> {
  const answer = await fetch(`${OURS}/api/v1/user`, { headers });
  return answer.ok ? ((await answer.json()) as { user: { id: string } }).user.id : answer.status;
}
const whoIsIn = (browser: TestBrowser) => whoIs({ cookie: browser.header(OURS) });

/** The status of forward-auth for a read. */
async function proxied(headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`${authorizer.url}/forward-auth`, {
    headers: {
      "x-original-method": "GET",
      "x-original-uri": "/api/v1/config/version",
      "x-original-host": "data.example.com",
      ...headers,
    },
  });
  return answer.status;
}

/** The address to which a request leads, with headers that fetch does not send. */
function locationOf(path: string, headers: Record<string, string>): Promise<URL> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname: "127.0.0.1", port, path, headers }, (response) => {
      response.resume();
      resolve(new URL(String(response.headers.location)));
    });
    sent.on("error", reject).end();
  });
}

async function tokenOfVictim(): Promise<string> {
  const answer = await fetch(`${OURS}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(KEY),
  });
  return ((await answer.json()) as { token: string }).token;
}

describe("log-in CSRF", () => {
  it("a callback that another browser began signs nobody in, whatever the victim is about to do", async () => {
    const url = await upToCallback(new TestBrowser());
    const victim = new TestBrowser();
    const page = await victim.open(url.href);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining("another browser") });
    await upToCallback(victim);
    expect((await victim.open(url.href)).status).toBe(400);
    expect(await whoIsIn(victim)).toBe(401);
  });

  it.each(["cross-site", "same-site", "none"])(
    "a form of a page that is %s signs nobody in",
    async (site) => {
      const form = { name: KEY.access_key_id, secret: KEY.secret_access_key };
      const answer = await fetch(`${OURS}/sign-in`, {
        method: "POST",
        body: new URLSearchParams(form),
        headers: { "sec-fetch-site": site },
        redirect: "manual",
      });
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    },
  );
});

describe("open redirects", () => {
  it.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "evil",
    "/%0d%0aSet-Cookie:x=y\n",
    "/oidc/login?issuer=corp",
  ])("%s leads to the start, by the callback and by the form", async (next) => {
    expect((await signIn(new TestBrowser(), next)).text).toContain('content="0; url=/"');
    const form = { name: KEY.access_key_id, secret: KEY.secret_access_key, next };
    const answer = await fetch(`${OURS}/sign-in`, {
      method: "POST",
      body: new URLSearchParams(form),
      headers: { "sec-fetch-site": "same-origin" },
      redirect: "manual",
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  });

  it("a redirect_uri comes from the configuration, never from Host", async () => {
    const location = await locationOf("/oidc/login?issuer=corp", { host: "evil.example" });
    expect(location.searchParams.get("redirect_uri")).toBe(CALLBACK);
  });
});

describe("issuer mix-up", () => {
  it.each([
    ["names another issuer", (url: URL) => url.searchParams.set("iss", second.issuer)],
    ["names none, though its issuer does so", (url: URL) => url.searchParams.delete("iss")],
    ["names two", (url: URL) => url.searchParams.append("iss", second.issuer)],
  ])("an answer that %s is refused (RFC 9207)", async (_, change) => {
    const browser = new TestBrowser();
    const url = await upToCallback(browser);
    expect(url.searchParams.get("iss")).toBe(provider.issuer);
    change(url);
    expect((await browser.open(url.href)).status).toBe(403);
    expect(await whoIsIn(browser)).toBe(401);
  });

  it("a code of one issuer is not sent to the one at which the sign-in began", async () => {
    const attackers = await upToCallback(new TestBrowser(), "partner");
    const victim = new TestBrowser();
    const url = await upToCallback(victim);
    for (const name of ["code", "iss"]) url.searchParams.set(name, String(attackers.searchParams.get(name)));
    expect((await victim.open(url.href)).status).toBe(403);
    expect(await whoIsIn(victim)).toBe(401);
  });
});

describe("code injection", () => {
  it("a code of another sign-in does not fit the verifier of this one", async () => {
    const victims = await upToCallback(new TestBrowser());
    const attacker = new TestBrowser();
    const own = await upToCallback(attacker);
    own.searchParams.set("code", String(victims.searchParams.get("code")));
    const page = await attacker.open(own.href);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("does not hold") });
    expect(await whoIsIn(attacker)).toBe(401);
  });
});

describe("PKCE downgrade", () => {
  it("every sign-in asks with S256, a state and a nonce of its own", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const { searchParams } = await locationOf("/oidc/login?issuer=corp", { host: new URL(OURS).host });
      expect(searchParams.get("code_challenge_method")).toBe("S256");
      expect(searchParams.get("response_type")).toBe("code");
      for (const name of ["code_challenge", "state", "nonce"]) seen.add(String(searchParams.get(name)));
    }
    expect(seen.size).toBe(6);
  });

  it("a code that a provider without PKCE gave for no challenge signs nobody in", async () => {
    const victim = new TestBrowser();
    const url = await upToCallback(victim, "lax");
    const attacker = new TestBrowser();
    const stripped = new URLSearchParams({
      client_id: CLIENT.id,
      response_type: "code",
      scope: "openid",
      redirect_uri: CALLBACK,
    });
    const { url: back } = await attacker.open(`${lax.issuer}/auth?${stripped}`, (at) =>
      at.startsWith(CALLBACK),
    );
    const code = new URL(back).searchParams.get("code");
    expect(code).toMatch(/./);
    url.searchParams.set("code", String(code));
    expect((await victim.open(url.href)).status).toBe(403);
    expect(await whoIsIn(victim)).toBe(401);
  });
});

describe("replay", () => {
  it("a callback serves once", async () => {
    const browser = new TestBrowser();
    const url = await upToCallback(browser);
    const kept = browser.header(OURS);
    expect((await browser.open(url.href)).status).toBe(200);
    const again = await fetch(url, { headers: { cookie: kept } });
    expect(again.status).toBe(400);
    expect(again.headers.getSetCookie().some((line) => line.startsWith("access_token="))).toBe(false);
  });
});

describe("session fixation", () => {
  it("a sign-in takes over no token that the browser had", async () => {
    const browser = new TestBrowser();
    await signIn(browser);
    const fixed = String(browser.cookies.get(OURS)?.get("access_token"));
    provider.claims = { sub: "s-2", preferred_username: "bob" };
    const victim = new TestBrowser();
    victim.cookies.set(OURS, new Map([["access_token", fixed]]));
    await signIn(victim);
    expect(victim.cookies.get(OURS)?.get("access_token")).not.toBe(fixed);
    expect(await whoIsIn(victim)).toBe("bob");
    expect(await whoIsIn(browser)).toBe("alice");
  });
});

describe("cookie tossing", () => {
  it("of a state cookie that comes twice, from a sibling host, neither is believed", async () => {
    const browser = new TestBrowser();
    const url = await upToCallback(browser);
    const attackers = new TestBrowser();
    await upToCallback(attackers);
    for (const cookie of [
      `${browser.header(OURS)}; ${attackers.header(OURS)}`,
      `${attackers.header(OURS)}; ${browser.header(OURS)}`,
    ])
      expect((await fetch(url, { headers: { cookie } })).status).toBe(400);
  });

  it.each(["access_token", "internal_auth_session"])(
    "of two cookies %s neither is believed",
    async (name) => {
      const [victim, attacker] = [new TestBrowser(), new TestBrowser()];
      await signIn(victim);
      await signIn(attacker, "/", "partner");
      const [own, tossed] = [victim, attacker].map((one) => `${name}=${one.cookies.get(OURS)?.get(name)}`);
      expect(await proxied({ cookie: own as string })).toBe(200);
      for (const cookie of [`${own}; ${tossed}`, `${tossed}; ${own}`]) {
        expect(await proxied({ cookie })).toBe(401);
        expect(await whoIs({ cookie })).toBe(401);
      }
    },
  );

  it("under TLS the state cookie has a name that no sibling host can set", async () => {
    const https = await closedAfterAll(
      startAuthorizer({
        config: {
          "authorizer.audit.output": devNull,
          "authorizer.sign_in.origins": ["https://authz.example.com"],
          "authorizer.oidc.issuers": [{ ...client, name: "corp", issuer: provider.issuer }],
        } as never,
      }),
    );
    const answer = await fetch(`${https.userUrl}/oidc/login`, { redirect: "manual" });
    const [line = ""] = answer.headers.getSetCookie();
    expect(line).toMatch(/^__Host-svc-sign-in=[^;]+;.*Path=\/; .*Secure/);
    expect(line).not.toContain("Domain");
  });

  it("a changed or foreign state cookie signs nobody in", async () => {
    const browser = new TestBrowser();
    const url = await upToCallback(browser);
    const [name, value = ""] = browser.header(OURS).split("=");
    for (const changed of [
      "",
      "x",
      value.slice(0, -1),
      value.replace(/.$/, value.endsWith("A") ? "B" : "A"),
      "a.b.c.d.e",
    ])
      expect((await fetch(url, { headers: { cookie: `${name}=${changed}` } })).status, changed).toBe(400);
    expect((await fetch(url)).status).toBe(400);
  });
});

describe("token substitution", () => {
  /** A real ID token for the client that this service is. */
  async function idToken(): Promise<string> {
    const verifier = "v".repeat(43);
    const query = new URLSearchParams({
      client_id: CLIENT.id,
      response_type: "code",
      scope: "openid",
      redirect_uri: CALLBACK,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const { url } = await new TestBrowser().open(`${provider.issuer}/auth?${query}`, (at) =>
      at.startsWith(CALLBACK),
    );
    const answer = await fetch(`${provider.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: new URL(url).searchParams.get("code") ?? "",
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }),
    });
    return ((await answer.json()) as { id_token: string }).id_token;
  }

  it("an ID token of a sign-in is no credential, neither here nor at the proxy, and exchanged for nothing", async () => {
    await signIn(new TestBrowser());
    const token = await idToken();
    expect(token.split(".")).toHaveLength(3);
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `access_token=${token}` }]) {
      expect(await whoIs(headers)).toBe(401);
      expect(await proxied(headers)).toBe(401);
    }
    const post = async (path: string, form: Record<string, string>) =>
      (await fetch(OURS + path, { method: "POST", body: new URLSearchParams(form) })).status;
    const exchange = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      subject_token: token,
    };
    expect(await post("/oauth2/token", exchange)).toBe(400);
    const assume = {
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: "arn:svc:auth:::user/alice",
      RoleSessionName: "job",
      WebIdentityToken: token,
    };
    expect(await post("/sts", assume)).toBe(400);
  });

  it("a login token of this service is none of a provider, and no state", async () => {
    const token = await tokenOfVictim();
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBe("victim");
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token: token,
    };
    const answer = await fetch(`${OURS}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    expect(answer.status).toBe(400);
    const url = await upToCallback(new TestBrowser());
    expect((await fetch(url, { headers: { cookie: `svc-sign-in=${token}` } })).status).toBe(400);
  });
});
