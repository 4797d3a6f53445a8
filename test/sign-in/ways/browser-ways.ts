/** OpenID Connect in a browser, `svcctl login`, and `sts/login` of a data server's clients: all by people at the provider. */

import { randomBytes } from "node:crypto";
import { calculatePKCECodeChallenge } from "openid-client";
import { TestBrowser } from "../browser.ts";
import { CLIENT, type TestProvider } from "../test-provider.ts";
import { type Bed, OTHER_CLIENT, PASSWORDS } from "./bed.ts";
import { type Cases, later, ofToken, postForm, postJson, type Shown, whoIs } from "./calls.ts";

/** The person who signs in next at a provider. */
function becomes(provider: TestProvider, name: string): void {
  provider.claims = { sub: `sub-of-${name}`, preferred_username: name };
}

/** OpenID Connect in a browser. */
export function openIdConnect(bed: Bed): Cases {
  const { provider, liar, origin } = bed;
  /** The callback to which the provider sends the browser. */
  const upToCallback = async (browser: TestBrowser, name: string) => {
    becomes(provider, name);
    const { url } = await browser.open(`${origin}/oidc/login?issuer=corp`, (at) =>
      at.startsWith(`${origin}/oidc/callback`),
    );
    return new URL(url);
  };
  const arrived = async (browser: TestBrowser, url: string, at = origin): Promise<Shown> => {
    const cookies = browser.header(at);
    const { status, text } = await browser.open(url);
    const user = await whoIs(at, { cookie: browser.header(at) });
    const code = new URL(url).searchParams.get("code") ?? "";
    const values = `${cookies}; ${browser.header(at)}`.split("; ").map((pair) => pair.replace(/^[^=]*=/, ""));
    return { status, text, user, secrets: [code, CLIENT.secret, ...values] };
  };
  const signIn = async (name: string) => {
    const browser = new TestBrowser();
    return arrived(browser, (await upToCallback(browser, name)).href);
  };
  /** A provider whose token endpoint gives an ID token with other claims. */
  const withClaims = async (claims: Record<string, unknown>, tokenStatus = 200) => {
    let nonce: string | null = null;
    let token = "";
    liar.answer = (path) => {
      const { url, keys } = liar;
      const body: Record<string, unknown> = {
        "/.well-known/openid-configuration": {
          issuer: url,
          jwks_uri: `${url}/keys`,
          authorization_endpoint: `${url}/auth`,
          token_endpoint: `${url}/token`,
        },
        "/keys": { keys: keys.map(({ publicJwk }) => publicJwk) },
        "/token": { access_token: "x", token_type: "Bearer", id_token: token },
      };
      return { status: path === "/token" ? tokenStatus : 200, body: JSON.stringify(body[path] ?? {}) };
    };
    const browser = new TestBrowser();
    const { url } = await browser.open(`${origin}/oidc/login?issuer=liar`, (at) => at.startsWith(liar.url));
    const { searchParams } = new URL(url);
    nonce = searchParams.get("nonce");
    const sound = { sub: "1", aud: CLIENT.id, preferred_username: "alice", nonce };
    token = await liar.token({ ...sound, ...claims } as never);
    const query = new URLSearchParams({ code: "a-code-of-the-liar", state: searchParams.get("state") ?? "" });
    const shown = await arrived(browser, `${origin}/oidc/callback?${query}`);
    return { ...shown, secrets: [...shown.secrets, token] };
  };
  return {
    "an account": () => signIn("alice"),
    "an ID token that says what it has to": () => withClaims({}),
    "another code": async () => {
      const browser = new TestBrowser();
      const url = await upToCallback(browser, "alice");
      url.searchParams.set("code", "another-code-than-that-of-the-provider");
      return arrived(browser, url.href);
    },
    "an ID token for another nonce": () => withClaims({ nonce: "of-another-sign-in" }),
    "a state of 11 minutes ago": async () => {
      const browser = new TestBrowser();
      const url = await upToCallback(browser, "alice");
      return later(660, () => arrived(browser, url.href));
    },
    "an ID token that is over": () => withClaims({ exp: Math.floor(Date.now() / 1_000) - 300 }),
    "the callback once more": async () => {
      const browser = new TestBrowser();
      const { href } = await upToCallback(browser, "alice");
      const copy = new TestBrowser();
      copy.cookies.set(origin, new Map(browser.cookies.get(origin)));
      await browser.open(href);
      return arrived(copy, href);
    },
    "an ID token for another client": () => withClaims({ aud: "another-client" }),
    "an ID token that names another issuer": () => withClaims({ iss: provider.issuer }),
    "an account of which there is no user": () => signIn("nobody"),
    "an account of an inactive user": () => signIn("off"),
    "an account with the name of an administrator": () => signIn("boss"),
    "a provider that is not there": async () => {
      const browser = new TestBrowser();
      const { status, text } = await browser.open(`${bed.awayOrigin}/oidc/login?issuer=corp`);
      return { status, text, secrets: [] };
    },
    "a provider that fails when it is asked for the token": () => withClaims({}, 500),
  };
}

/** `svcctl login`: the requests that it sends, and the page on which a person confirms. */
export function device(bed: Bed): Cases {
  const { here, origin } = bed;
  const begin = async (at = origin) => {
    const { json } = await postForm(`${at}/oauth2/device_authorization`, { client_id: "svcctl" });
    return { code: String(json["user_code"]), device: String(json["device_code"]) };
  };
  const poll = async (code: string, of: Record<string, string> = {}, at = origin): Promise<Shown> => {
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const form = { grant_type, client_id: "svcctl", device_code: code, ...of };
    return ofToken(at, await postForm(`${at}/oauth2/token`, form), [code]);
  };
  const signedIn = async (user: string, at = origin) => {
    const body = { access_key_id: user, secret_access_key: PASSWORDS.own };
    const { json } = await postJson(`${at}/api/v1/auth/login`, body);
    return { cookie: `access_token=${json["token"]}`, "sec-fetch-site": "same-origin" };
  };
  const confirmed = async (user: string, answer = "confirm", at = origin) => {
    const { code, device: secret } = await begin(at);
    await postForm(`${at}/device`, { code, answer }, await signedIn(user, at));
    return secret;
  };
  return {
    "a code that is confirmed": async () => poll(await confirmed("alice")),
    "a code that is refused": async () => poll(await confirmed("alice", "refuse")),
    "a code of 11 minutes ago": async () => {
      const secret = await confirmed("alice");
      return later(660, () => poll(secret));
    },
    "a code that gave a token": async () => {
      const secret = await confirmed("alice");
      await poll(secret);
      // Programs that ask again at once are told to wait.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return poll(secret);
    },
    "a code in the name of another program": async () =>
      poll(await confirmed("alice"), { client_id: "another-program" }),
    "a code of another service": async () => poll((await begin(bed.awayOrigin)).device),
    "a code whose person was deleted": async () => {
      const secret = await confirmed("alice");
      await here.directory.users.delete("alice");
      return poll(secret);
    },
    "a code whose person was deactivated": async () => {
      const secret = await confirmed("alice");
      await here.directory.users.update("alice", { inactive: true });
      return poll(secret);
    },
    "a code that an administrator confirmed": async () => poll(await confirmed("boss")),
    "a code while no provider answers": async () =>
      poll(await confirmed("alice", "confirm", bed.awayOrigin), {}, bed.awayOrigin),
  };
}

/** `sts/login` of the authentication API: a data server forwards the code of a client of its own. */
export function stsLogin(bed: Bed): Cases {
  const codeOf = async (
    name: string,
    verifier: string,
    { of = bed.provider, client = CLIENT.id as string } = {},
  ) => {
    becomes(of, name);
    const query = new URLSearchParams({
      client_id: client,
      response_type: "code",
      scope: "openid",
      redirect_uri: bed.codeUri,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const { url } = await new TestBrowser().open(`${of.issuer}/auth?${query}`, (at) =>
      at.startsWith(bed.codeUri),
    );
    return new URL(url).searchParams.get("code") ?? "";
  };
  /** The user is the one whom the data server finds by `sub`. */
  const login = async (code: string, verifier: string, at = bed.here): Promise<Shown> => {
    const body = { code, redirect_uri: bed.codeUri, state: verifier };
    const { status, text, json } = await postJson(`${at.url}/authentication/v1/sts/login`, body);
    const { sub } = (json["claims"] ?? {}) as { readonly sub?: string };
    const secrets = [code, verifier];
    if (sub === undefined) return { status, text, secrets };
    const list = `${at.url}/api/v1/auth/users?${new URLSearchParams({ external_id: sub, amount: "2" })}`;
    const found = await fetch(list, { headers: { authorization: `Bearer ${at.token}` } });
    const { results } = (await found.json()) as {
      readonly results: readonly { readonly username: string }[];
    };
    return { status, text, user: results.length === 1 ? results[0]?.username : undefined, secrets };
  };
  const newVerifier = () => randomBytes(32).toString("base64url");
  const ofPerson = async (name: string) => {
    const verifier = newVerifier();
    return login(await codeOf(name, verifier), verifier);
  };
  return {
    "a code": () => ofPerson("alice"),
    "a code with another verifier": async () => login(await codeOf("alice", newVerifier()), newVerifier()),
    "a code of 11 minutes ago": async () => {
      const verifier = newVerifier();
      const code = await codeOf("alice", verifier);
      return later(660, () => login(code, verifier));
    },
    "a code once more": async () => {
      const verifier = newVerifier();
      const code = await codeOf("alice", verifier);
      await login(code, verifier);
      return login(code, verifier);
    },
    "a code for another client": async () => {
      const verifier = newVerifier();
      return login(await codeOf("alice", verifier, { client: OTHER_CLIENT.id }), verifier);
    },
    "a code of another provider": async () => {
      const verifier = newVerifier();
      return login(await codeOf("alice", verifier, { of: bed.second }), verifier);
    },
    "a code of which there is no user": () => ofPerson("nobody"),
    "a code of an inactive user": () => ofPerson("off"),
    "a code with the name of an administrator": () => ofPerson("boss"),
    "a code while no provider answers": () => login("a-code-of-a-provider-away", newVerifier(), bed.away),
  };
}
