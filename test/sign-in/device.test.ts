/** Signing in from a terminal (RFC 8628): `svcctl login`, `/device` and `/oauth2/*` (spec/sign-in §1). */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { freePort } from "../free-port.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { TestBrowser } from "./browser.ts";
import { CLIENT, startProvider } from "./test-provider.ts";

const log = join(temporaryFolder(), "audit.log");
const port = await freePort();
const OURS = `http://127.0.0.1:${port}`;
const provider = await closedAfterAll(startProvider([`${OURS}/oidc/callback`]));
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: { format: 1, groups: [{ name: "data-a" }, { name: "by-hand" }] } as never,
    config: {
      listen_address: `127.0.0.1:${port}`,
      "authorizer.audit.output": log,
      "authorizer.sign_in.origins": [OURS],
      "authorizer.oidc.issuers": [
        {
          name: "corp",
          title: "Example",
          issuer: provider.issuer,
          sign_in: true,
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          username_claim: "preferred_username",
          assert_groups: ["data-*"],
          create_users: true,
        },
      ],
    },
  }),
);
const { directory } = authorizer;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

beforeEach(() => {
  provider.claims = { sub: "s-1", preferred_username: "alice", groups: ["data-a"] };
});
afterEach(() => authorizer.reset());

interface Json {
  readonly [name: string]: unknown;
}

async function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(OURS + path, { method: "POST", body: new URLSearchParams(form), headers });
  const text = await answer.text();
  return { status: answer.status, text, json: (text.startsWith("{") ? JSON.parse(text) : {}) as Json };
}

async function begin() {
  const { json } = await post("/oauth2/device_authorization", { client_id: "svcctl", host_name: "laptop" });
  return { code: String(json["user_code"]), device: String(json["device_code"]), json };
}

const poll = (device: string) =>
  post("/oauth2/token", { grant_type: GRANT, client_id: "svcctl", device_code: device });

async function signedIn(): Promise<TestBrowser> {
  const browser = new TestBrowser();
  await browser.open(`${OURS}/oidc/login?issuer=corp&next=/device`);
  return browser;
}

/** Sends the form of the page as the page does. */
const type = (browser: TestBrowser, form: Record<string, string>, site = "same-origin") =>
  post("/device", form, { cookie: browser.header(OURS), "sec-fetch-site": site });

describe("svcctl login", () => {
  it("signs in through a browser, keeps the token with mode 600, never prints it, and logs out", async () => {
    const folder = temporaryFolder();
    const config = join(folder, "svcctl.yaml");
    const env = { SVCCTL_CONFIG_FILE: config };
    writeFileSync(config, `server:\n  endpoint_url: ${OURS}\n`);
    const browser = await signedIn();
    await directory.groups.addMember("by-hand", "alice");
    const confirmed = confirmNext(browser);
    const done = await svcctl(["login", "-o", "json"], { env });
    await confirmed;
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(`Open ${OURS}/device`) });
    expect(JSON.parse(done.stdout)).toMatchObject({ user: "alice" });
    const file = join(folder, "svcctl.login.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token } = JSON.parse(readFileSync(file, "utf8")) as { token: string };
    expect(done.stdout + done.stderr).not.toContain(token);
    expect(await svcctl(["whoami"], { env })).toMatchObject({ code: 0, stdout: "alice\n" });
    const whoami = await svcctl(["auth", "whoami"], { env });
    expect(whoami.stdout).toMatch(
      /^User: +alice\nSigned in with: +Example\nExternal id: +corp:s-1\nSession ends: +\d{4}-.+\nGroups:\n {2}by-hand \(from an administrator, SCIM or an import\)\n {2}data-a \(from corp\)\n$/,
    );
    // Another server never sees it.
    const elsewhere = await svcctl(["whoami"], {
      env: { ...env, SVCCTL_SERVER_ENDPOINT_URL: authorizer.url },
    });
    expect(elsewhere.code).toBe(1);
    expect(await svcctl(["logout"], { env })).toMatchObject({ code: 0, stdout: "Signed out\n" });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${OURS}/api/v1/user`, { headers })).status).toBe(401);
    expect(await svcctl(["whoami"], { env })).toMatchObject({ code: 1 });
  });

  it("refuses where an access key would go before it, and says so", async () => {
    const env = { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIA", SVCCTL_SERVER_ENDPOINT_URL: OURS };
    expect((await svcctl(["login"], { env })).stderr).toContain("an access key is configured");
  });
});

/** Confirms the program that asks next, with the code that it would show. */
async function confirmNext(browser: TestBrowser): Promise<void> {
  const { tokenClaims } = directory;
  const claim = tokenClaims.claim.bind(tokenClaims);
  const code = await new Promise<string>((resolve) => {
    tokenClaims.claim = async (id, ...rest) => {
      await claim(id, ...rest);
      if (/^device:/.test(id)) resolve(id.slice("device:".length));
    };
  });
  tokenClaims.claim = claim;
  expect((await type(browser, { code })).text).toContain("alice");
  expect((await type(browser, { code, answer: "confirm" })).text).toContain("The program is signed in");
}

describe("the device grant", () => {
  it("is audited where nobody knows whether the person confirmed it: the program may get a token", async () => {
    const { code, device } = await begin();
    const browser = await signedIn();
    const { tokenClaims } = directory;
    const claim = tokenClaims.claim.bind(tokenClaims);
    tokenClaims.claim = async (...asked) => {
      tokenClaims.claim = claim;
      await claim(...asked);
      throw new AuthorizerError("outcome_unknown", "nobody knows");
    };
    expect((await type(browser, { code, answer: "confirm" })).status).toBe(503);
    await expect
      .poll(() => readFileSync(log, "utf8"))
      .toMatch(/"event":"login","actor":"alice","how":"device_confirmation".*"outcome":"unknown"/);
    expect((await poll(device)).json).toHaveProperty("access_token");
  });

  it("gives a token once, after the person confirmed", async () => {
    const { code, device, json } = await begin();
    expect(json).toMatchObject({ verification_uri: `${OURS}/device`, expires_in: 600 });
    expect((await poll(device)).json).toMatchObject({ error: "authorization_pending" });
    expect((await poll(device)).json).toMatchObject({ error: "slow_down" });
    const browser = await signedIn();
    const asked = await type(browser, { code: code.toLowerCase().replace("-", " ") });
    expect(asked.text).toContain("<dd>laptop</dd>");
    expect(asked.text).toContain("<dd>127.0.0.1</dd>");
    await type(browser, { code, answer: "confirm" });
    await pause();
    const granted = await poll(device);
    expect(granted).toMatchObject({ status: 200, json: { token_type: "Bearer" } });
    const headers = { authorization: `Bearer ${granted.json["access_token"]}` };
    expect((await fetch(`${OURS}/api/v1/user`, { headers })).status).toBe(200);
    await pause();
    expect((await poll(device)).json).toMatchObject({ error: "expired_token" });
    expect((await type(browser, { code, answer: "confirm" })).status).toBe(404);
  });

  it("ends where the person refuses", async () => {
    const { code, device } = await begin();
    const refused = await type(await signedIn(), { code, answer: "refuse" });
    expect(refused.text).toContain("was refused");
    expect((await poll(device)).json).toMatchObject({ error: "access_denied" });
  });

  it("gives nothing where the user's sessions ended after the confirmation, by a slower clock, too", async () => {
    const { code, device } = await begin();
    const browser = await signedIn();
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 5_000);
    await type(browser, { code, answer: "confirm" });
    vi.restoreAllMocks();
    await directory.sessions.end("alice");
    expect((await poll(device)).json).toMatchObject({ error: "access_denied" });
  });

  it("gives nothing where the user's sessions end between the page and the confirmation", async () => {
    const { code, device } = await begin();
    const browser = await signedIn();
    await type(browser, { code });
    const { sessions } = directory;
    const { get } = sessions;
    sessions.get = async (...asked) => {
      sessions.get = get;
      await sessions.end("alice");
      return get(...asked);
    };
    await type(browser, { code, answer: "confirm" });
    expect((await poll(device)).json).toMatchObject({ error: "access_denied" });
  });

  it("gives nothing that holds where the user's sessions end while the token is made", async () => {
    const { code, device } = await begin();
    await type(await signedIn(), { code, answer: "confirm" });
    const { sessions } = directory;
    const { get } = sessions;
    sessions.get = async (...asked) => {
      sessions.get = get;
      const session = await get(...asked);
      await sessions.end("alice");
      return session;
    };
    const { json } = await poll(device);
    const headers = { authorization: `Bearer ${json["access_token"]}` };
    expect((await fetch(`${OURS}/api/v1/user`, { headers })).status).toBe(401);
  });

  it("gives nothing that outlives the sign-in that confirmed it, or the access key behind that", async () => {
    await directory.users.create({ username: "bob" });
    const key = await directory.credentials.createTemporary("bob", 900);
    const { access_key_id, secret_access_key } = key;
    const granted = async (keyId: string, secret: string, more: object, over?: () => Promise<unknown>) => {
      const login = await fetch(`${OURS}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ access_key_id: keyId, secret_access_key: secret, ...more }),
      });
      const { token } = (await login.json()) as { readonly token: string };
      const { code, device } = await begin();
      const headers = { cookie: `access_token=${token}`, "sec-fetch-site": "same-origin" };
      expect((await post("/device", { code, answer: "confirm" }, headers)).text).toContain("signed in");
      await over?.();
      return (await poll(device)).json;
    };
    const ofTemporary = await granted(access_key_id, secret_access_key, {});
    expect(ofTemporary["expires_in"]).toBeLessThanOrEqual(900);
    const lasting = await directory.credentials.create("bob");
    const ofShort = await granted(lasting.access_key_id, lasting.secret_access_key, {
      token_expiration_duration: 300,
    });
    expect(ofShort["expires_in"]).toBeLessThanOrEqual(300);
    const without = await granted(lasting.access_key_id, lasting.secret_access_key, {}, () =>
      directory.credentials.delete("bob", lasting.access_key_id),
    );
    expect(without).toMatchObject({ error: "access_denied" });
  });

  it("keeps nothing of what is too long for a code", async () => {
    const long = "x".repeat(60_000);
    for (const _ of [1, 2]) expect((await poll(long)).json).toMatchObject({ error: "expired_token" });
  });

  it("takes the code from people who are signed in alone, and never from a link", async () => {
    const { code } = await begin();
    expect(await type(new TestBrowser(), { code, answer: "confirm" })).toMatchObject({
      status: 403,
      text: expect.stringContaining("Continue with Example"),
    });
    const page = await (await signedIn()).open(`${OURS}/device?code=${code}&user_code=${code}`);
    expect(page.text).not.toContain(code);
  });

  it("log-in CSRF: a page of another site confirms nothing", async () => {
    const { code, device } = await begin();
    const browser = await signedIn();
    for (const site of ["cross-site", "same-site"])
      expect((await type(browser, { code, answer: "confirm" }, site)).status).toBe(403);
    expect((await poll(device)).json).toMatchObject({ error: "authorization_pending" });
  });

  it.each([
    ["another client", { grant_type: GRANT, client_id: "other", device_code: "x" }, "invalid_client"],
    ["another grant", { grant_type: "password", client_id: "svcctl" }, "unsupported_grant_type"],
    ["a code of its own", { grant_type: GRANT, client_id: "svcctl", device_code: "x" }, "expired_token"],
  ])("refuses %s", async (_, form, error) => {
    expect(await post("/oauth2/token", form)).toMatchObject({ status: 400, json: { error } });
  });

  it("has a place again for each program that is answered, so that many of one address sign in", async () => {
    for (let count = 0; count < 10; count++) {
      const { code, device } = await begin();
      await type(await signedIn(), { code, answer: "refuse" });
      expect((await poll(device)).json).toMatchObject({ error: "access_denied" });
    }
  });

  it("bounds the programs that wait: the ninth of one address is told to come again", async () => {
    const before = Date.now();
    const started = Array.from({ length: 9 }, () =>
      post("/oauth2/device_authorization", { client_id: "svcctl" }),
    );
    const answers = await Promise.all(started);
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(1);
    expect(answers.at(-1)?.json["error"]).toBe("temporarily_unavailable");
    expect(Date.now() - before).toBeLessThan(10_000);
  });
});

/** As long as a program waits between two questions. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 1_100));
