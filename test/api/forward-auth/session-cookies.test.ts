import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { type SessionCookieName, sealSession } from "../../../src/identity/session-cookies/sealed-cookie.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { ACCESS_KEYS, SECRET, startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { ask, basic, type Headers, login, READ, told } from "./ask.ts";

const SECRET_KEY = "the-secret-key-of-both-servers-in-this-test";
const KEY = Buffer.from(SECRET_KEY);
const OTHER_KEY = Buffer.from("the-secret-key-of-another-installation");
const HOUR = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

const config = {
  "auth.encrypt.secret_key": SECRET_KEY,
  "auth.login_max_duration": "24h",
  "auth.ui_config.login_cookie_names": ["internal_auth_session", "oidc_auth_session", "saml_auth_session"],
  "auth.oidc.validate_id_token_claims": { department: "research" },
  "auth.cookie_auth_verification.validate_id_token_claims": { site: "here" },
  "auth.cookie_auth_verification.external_user_id_claim_name": "uid",
};
const authorizer = await closedAfterAll(startBehindProxy("nginx", config));
const WRITER_ID = "id-of-linked";

/** Users that sessions with claims find, made as a data server makes them. */
for (const [username, externalId] of [
  ["linked", WRITER_ID],
  ["rightless", "id-of-rightless"],
] as const) {
  const made = await fetch(`${authorizer.url}/api/v1/auth/users`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${authorizer.token}` },
    body: JSON.stringify({ username, externalId, external_id: externalId }),
  });
  expect(made.status).toBe(201);
}
const attached = await fetch(`${authorizer.url}/api/v1/auth/users/linked/policies/UseData`, {
  method: "PUT",
  headers: { authorization: `Bearer ${authorizer.token}` },
});
expect(attached.status).toBe(201);

interface Made {
  readonly age?: number;
  readonly key?: Buffer;
}

function cookie(name: SessionCookieName, sealed: string | undefined): string {
  return `${name}=${sealed}`;
}

function internal(token: string, { age = 1, key = KEY }: Made = {}): string {
  const name = "internal_auth_session";
  return cookie(name, sealSession(name, { key: "token", token }, { key, issuedAt: now() - age }));
}

function oidc(claims: Record<string, string>, { age = -1, key = KEY }: Made = {}): string {
  const name = "oidc_auth_session";
  const value = { key: "id_token_claims", claims: new Map(Object.entries(claims)) } as const;
  return cookie(name, sealSession(name, value, { key, issuedAt: now() - age }));
}

function saml(claims: Record<string, string>): string {
  const name = "saml_auth_session";
  const value = { key: "saml_token_claims", claims: new Map(Object.entries(claims)) } as const;
  return cookie(name, sealSession(name, value, { key: KEY, issuedAt: now() + 1 }));
}

/** A login token as a data server issues it. */
function dataServersToken(sub: string, { aud = "login", age = -1, seconds = HOUR } = {}): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setAudience(aud)
    .setSubject(sub)
    .setJti("of-the-data-server")
    .setIssuedAt(now() - age)
    .setExpirationTime(now() - age + seconds)
    .sign(KEY);
}

async function answer(cookies: string, request: Headers = told(), at = authorizer) {
  const { status, headers } = await ask(at.url, "/forward-auth", [...request, ["Cookie", cookies]]);
  return status === 200 ? String(headers["x-svc-user"]) : status;
}

const SOUND = { sub: WRITER_ID, department: "research" };

describe("the data server's session cookie in forward-auth (spec/sign-in §5)", () => {
  it("is a credential with the login token that it holds, of ours or of the data server", async () => {
    expect(await answer(internal(await login(authorizer, "writer")))).toBe("writer");
    expect(await answer(internal(await dataServersToken("writer")))).toBe("writer");
    expect(await answer(internal(await dataServersToken("nobody-much")))).toBe(403);
    expect(await answer(internal(await dataServersToken("no-such-user")))).toBe(401);
  });

  it("is nobody where seal, age or token do not hold", async () => {
    const token = await login(authorizer, "writer");
    expect(await answer(internal(token, { key: OTHER_KEY }))).toBe(401);
    expect(await answer(internal(token, { age: 25 * HOUR }))).toBe(401);
    expect(await answer(internal(token, { age: -HOUR }))).toBe(401);
    expect(await answer(internal(`${token}x`))).toBe(401);
    expect(await answer(internal(""))).toBe(401);
    expect(await answer("internal_auth_session=MTcwfGFiYw")).toBe(401);
    expect(await answer(internal(await dataServersToken("writer", { age: 2 * HOUR })))).toBe(401);
    expect(await answer(internal(await dataServersToken("writer", { aud: "auth-client" })))).toBe(401);
  });

  it("ends with its token at sign-out", async () => {
    const token = await login(authorizer, "writer");
    expect(await answer(internal(token))).toBe("writer");
    const out = await fetch(`${authorizer.userUrl}/api/v1/auth/logout`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(out.status).toBe(204);
    expect(await answer(internal(token))).toBe(401);
  });

  it("goes from a browser in which somebody signs in anew, as whom it would not hold", async () => {
    const signIn = (headers: Record<string, string>) =>
      fetch(`${authorizer.userUrl}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ access_key_id: ACCESS_KEYS.get("writer"), secret_access_key: SECRET }),
      });
    const stale = internal(await dataServersToken("linked"));
    const { headers } = await signIn({ cookie: stale });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^access_token=[^;]/),
      "internal_auth_session=; Max-Age=0; Path=/",
    ]);
    expect((await signIn({})).headers.getSetCookie()).toHaveLength(1);
  });

  it("opens the rows that need no user, whatever it says", async () => {
    const open = told("/api/v1/setup_lakefs");
    expect(await answer(internal("stale", { age: 25 * HOUR }), open)).toBe("-");
    expect(await answer(internal(await login(authorizer, "writer")), open)).not.toBe(401);
  });
});

describe("sessions with claims in forward-auth (spec/sign-in §5)", () => {
  it("find their user by external id, if the claims say what they have to", async () => {
    expect(await answer(oidc(SOUND))).toBe("linked");
    expect(await answer(saml({ uid: WRITER_ID, site: "here" }))).toBe("linked");
    expect(await answer(oidc({ ...SOUND, sub: "id-of-rightless" }))).toBe(403);
  });

  it.each<[string, string]>([
    ["another key", oidc(SOUND, { key: OTHER_KEY })],
    ["too old", oidc(SOUND, { age: 25 * HOUR })],
    ["of the future", oidc(SOUND, { age: -HOUR })],
    ["older than the user", oidc(SOUND, { age: HOUR })],
    ["an unknown external id", oidc({ ...SOUND, sub: "id-of-nobody" })],
    ["the name of a user", oidc({ ...SOUND, sub: "linked" })],
    ["no external id", oidc({ department: "research" })],
    ["an empty external id", oidc({ ...SOUND, sub: "" })],
    ["a required claim with another value", oidc({ ...SOUND, department: "Research" })],
    ["no required claim", oidc({ sub: WRITER_ID })],
    ["the claims of the other kind", saml({ sub: WRITER_ID, site: "here" })],
    ["the cookie of the other kind", saml(SOUND)],
  ])("%s: nobody", async (_what, cookies) => {
    expect(await answer(cookies)).toBe(401);
  });

  it("count only where auth.ui_config.login_cookie_names names them", async () => {
    const own = await startBehindProxy("nginx", { "auth.encrypt.secret_key": SECRET_KEY });
    try {
      const ofUser = internal(await login(own, "writer"));
      expect(await answer(oidc(SOUND), told(), own)).toBe(401);
      expect(await answer(ofUser, told(), own)).toBe("writer");
      // The data server would act for one of the two, we cannot know which.
      expect(await answer(`${ofUser}; ${oidc(SOUND)}`, told(), own)).toBe(401);
    } finally {
      await own.close();
    }
  });

  it("end with the user's sessions", async () => {
    const cookies = oidc(SOUND);
    expect(await answer(cookies)).toBe("linked");
    const path = "/api/v1/auth/users/linked/credentials";
    const headers = { authorization: `Bearer ${authorizer.token}` };
    const made = await fetch(authorizer.url + path, { method: "POST", headers });
    const { access_key_id: id } = (await made.json()) as { access_key_id: string };
    expect((await fetch(`${authorizer.url}${path}/${id}`, { method: "DELETE", headers })).status).toBe(204);
    expect(await answer(oidc(SOUND, { age: 0 }))).toBe(401);
  });
});

describe("several cookies", () => {
  it("of the very same user are one credential", async () => {
    const token = await login(authorizer, "writer");
    expect(await answer(`access_token=${token}; ${internal(await dataServersToken("writer"))}`)).toBe(
      "writer",
    );
    expect(await answer(`access_token=stale.to.ken; ${internal(token)}`)).toBe("writer");
  });

  it("of two users, or with a session that does not hold, are refused", async () => {
    const [writer, officer] = [await login(authorizer, "writer"), await login(authorizer, "officer")];
    expect(await answer(`access_token=${officer}; ${internal(writer)}`)).toBe(401);
    expect(await answer(`access_token=${writer}; ${internal(writer, { age: 25 * HOUR })}`)).toBe(401);
    expect(await answer(`${internal(writer)}; ${oidc({ ...SOUND, sub: "id-of-rightless" })}`)).toBe(401);
  });

  it("cookie tossing: of a name that comes twice, neither is believed", async () => {
    const [writer, officer] = [await login(authorizer, "writer"), await login(authorizer, "officer")];
    expect(await answer(`${internal(writer)}; ${internal(officer)}`)).toBe(401);
    expect(await answer(`${internal(writer)}; ${internal(writer)}`)).toBe(401);
    expect(await answer(`access_token=${writer}; access_token=${officer}`)).toBe(401);
  });

  it("stand beside no other kind of credential, not even of the same user", async () => {
    const session = internal(await login(authorizer, "writer"));
    const headers: Headers = [...told(), basic("writer")];
    expect(await answer(session, headers)).toBe(401);
  });
});

describe("writes with a session cookie (spec/security §6.1)", () => {
  const write = told(`${READ}/b`, "DELETE");

  it("log-in CSRF: only the page of the same origin writes", async () => {
    const session = internal(await login(authorizer, "writer"));
    expect(await answer(session, [...write, ["Sec-Fetch-Site", "same-origin"]])).toBe("writer");
    for (const site of ["same-site", "cross-site", "none"]) {
      expect(await answer(session, [...write, ["Sec-Fetch-Site", site]]), site).toBe(403);
    }
    expect(await answer(session, write)).toBe(403);
    expect(await answer(oidc({ ...SOUND }), write)).toBe(403);
  });
});
