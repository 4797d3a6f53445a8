/** Each configuration of docs/sign-in.md signs somebody in, with a provider on this machine in place of the one that it names. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { devNull } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { calculatePKCECodeChallenge } from "openid-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { hashPassword } from "../../src/identity/passwords/password-hash.ts";
import { freePort } from "../free-port.ts";
import { blocksOf } from "../house/page-blocks.ts";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";
import { TestBrowser } from "../sign-in/browser.ts";
import { group, hasSlapd, person, SERVICE, startSlapd } from "../sign-in/slapd.ts";
import { CLIENT, startProvider } from "../sign-in/test-provider.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const NAME = "docs/sign-in.md";
const PAGE = readFileSync(new URL(`../../${NAME}`, import.meta.url), "utf8");
const BLOCKS = blocksOf(NAME, PAGE)
  .filter(({ language }) => language === "yaml")
  .map(({ text }) => text);

type Items = Record<string, Record<string, never>>;

/** The blocks with a text, each once. */
function blocksWith(text: string): readonly string[] {
  return BLOCKS.filter((block) => block.includes(text));
}

/** The one block with a text, with other values in place of some of it. */
function configured(text: string, changes: Readonly<Record<string, string>>): Items {
  const [block = "", second] = blocksWith(text);
  expect(second).toBeUndefined();
  const changed = Object.entries(changes).reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replaceAll(from, to);
  }, block);
  return parse(changed) as Items;
}

async function started(config: Items, users: readonly string[] = []): Promise<TestAuthorizer> {
  const authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      groups: [{ name: "data-a" }],
      users: users.map((username) => ({ username })),
    } as never,
    config: { ...config, "authorizer.audit.output": devNull } as never,
  });
  onTestFinished(() => authorizer.close());
  return authorizer;
}

async function post(url: string, body: unknown) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, string> };
}

const logIn = ({ userUrl }: TestAuthorizer, access_key_id: string, secret_access_key: string) =>
  post(`${userUrl}/api/v1/auth/login`, { access_key_id, secret_access_key });

async function providerFor(redirectUri: string) {
  const claims = { openid: ["sub", "groups", "preferred_username", "oid", "email", "email_verified"] };
  const provider = await startProvider([redirectUri], { claims } as never);
  onTestFinished(() => provider.close());
  provider.claims = {
    sub: "s-1",
    oid: "o-1",
    preferred_username: "alice",
    email: "alice@example.com",
    email_verified: true,
    groups: ["data-a"],
  };
  return provider;
}

/** Values in place of the page's secrets of clients. */
const SECRETS = { 'client_secret: "…"': `client_secret: ${CLIENT.secret}`, "0oa1example": CLIENT.id };

describe("people", () => {
  it.each([
    ["client_secret_file", "https://id.example.com", "corp:s-1", "alice", ["data-a"]],
    ["name: google", "https://accounts.google.com", "google:s-1", "alice@example.com", []],
    [
      "name: entra",
      "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
      "entra:o-1",
      "alice",
      ["data-a"],
    ],
    ["name: okta", "https://example.okta.com", "okta:s-1", "alice", ["data-a"]],
    ["name: keycloak", "https://id.example.com/realms/example", "keycloak:s-1", "alice", ["data-a"]],
  ] as const)("sign in with the provider of %s", async (text, issuer, externalId, user, groups) => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const provider = await providerFor(`${origin}/oidc/callback`);
    const secret = join(temporaryFolder(), "secret");
    writeFileSync(secret, `${CLIENT.secret}\n`);
    const config = configured(text, {
      [issuer]: provider.issuer,
      "https://authz.example.com": origin,
      ...(text === "client_secret_file" ? { "/etc/svc-authorizer/corp.secret": secret } : SECRETS),
    });
    const authorizer = await started({ ...config, listen_address: `127.0.0.1:${port}` } as never);
    const page = await new TestBrowser().open(`${origin}/oidc/login`);
    expect(page.status).toBe(200);
    const { users } = authorizer.directory;
    expect((await users.get(user)).external_id).toBe(externalId);
    const { results } = await users.groups(user, { amount: 10 });
    expect(results.map(({ name }) => name)).toEqual(groups);
  });

  it("sign in with passwords", async () => {
    const list = join(temporaryFolder(), "known.txt");
    writeFileSync(list, "a password that everybody knows\n");
    const config = configured("breached_list_file", { "/etc/svc-authorizer/known-passwords.txt": list });
    const authorizer = await started(config, ["alice"]);
    const { sessions, passwords } = authorizer.directory;
    const { userId } = await sessions.get("alice");
    await passwords.set({ username: "alice", userId }, await hashPassword("a password of alice"));
    expect((await logIn(authorizer, "alice", "a password of alice")).status).toBe(200);
  });

  it.skipIf(!hasSlapd)("an account of slapd signs in with the LDAP of the page", async () => {
    const slapd = await startSlapd([person("alice", "a password"), group("data-a", "alice")].join(""));
    onTestFinished(() => slapd.close());
    const secret = join(temporaryFolder(), "secret");
    writeFileSync(secret, `${SERVICE.password}\n`);
    const config = configured("ldaps://", {
      "ldaps://ldap.example.com": `ldap://127.0.0.1:${slapd.port}`,
      "cn=svc-authorizer,ou=services,dc=example,dc=com": SERVICE.dn,
      "/etc/svc-authorizer/ldap.secret": secret,
    });
    const authorizer = await started(config);
    expect((await logIn(authorizer, "alice", "a password")).status).toBe(200);
    const { results } = await authorizer.directory.users.groups("alice", { amount: 10 });
    expect(results.map(({ name }) => name)).toEqual(["data-a"]);
  });

  it("sign in at a data server with a code", async () => {
    const callback = "http://127.0.0.1:9000/callback";
    const provider = await providerFor(callback);
    const config = configured("sts_redirect_uris", {
      "https://id.example.com": provider.issuer,
      "client_id: svc-authorizer": `client_id: ${CLIENT.id}, client_secret: ${CLIENT.secret}, username_claim: preferred_username`,
    });
    const authorizer = await started(config);
    const state = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      client_id: CLIENT.id,
      response_type: "code",
      scope: "openid",
      redirect_uri: callback,
      code_challenge: await calculatePKCECodeChallenge(state),
      code_challenge_method: "S256",
    });
    const { url } = await new TestBrowser().open(`${provider.issuer}/auth?${query}`, (at) =>
      at.startsWith(callback),
    );
    const code = new URL(url).searchParams.get("code");
    const login = `${authorizer.url}/authentication/v1/sts/login`;
    const answer = await post(login, { code, redirect_uri: callback, state });
    expect(answer).toMatchObject({ status: 200, json: { claims: { sub: "corp:s-1" } } });
  });

  it("sign in with a password of a remote server", async () => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.end("{}"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/authenticate`;
    const config = configured("remote_authenticator:", {
      "https://people.example.com/authenticate": endpoint,
    });
    const authorizer = await started(config);
    expect((await logIn(authorizer, "rita", "a password there")).status).toBe(200);
    const { results } = await authorizer.directory.users.groups("rita", { amount: 10 });
    expect(results.map(({ name }) => name)).toEqual(["Viewers"]);
  });
});

describe("programs", () => {
  it.each([
    [
      "https://kubernetes.default.svc.cluster.local",
      "loader",
      { sub: "system:serviceaccount:data:loader", "kubernetes.io": { namespace: "data" } },
    ],
    [
      "https://token.actions.githubusercontent.com",
      "deploy",
      {
        sub: "repo:team/data:environment:prod",
        ref: "refs/heads/main",
        repository: "team/data",
        repository_owner_id: "4711",
        environment: "prod",
      },
    ],
  ])("exchange tokens of %s", async (url, user, claims) => {
    const issuer = await TestIssuer.start(await newKey("k"));
    onTestFinished(() => issuer.stop());
    const authorizer = await started(configured(url, { [url]: issuer.url }), [user]);
    const answer = await fetch(`${authorizer.userUrl}/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        subject_token: await issuer.token(claims),
      }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const who = await fetch(`${authorizer.userUrl}/api/v1/user`, { headers });
    expect(await who.json()).toMatchObject({ user: { id: user } });
  });
});

it("no other configuration is on the page", () => {
  expect(BLOCKS).toHaveLength(11);
});
