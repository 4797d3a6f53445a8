/** Signing in with a real OpenID provider, in a browser without scripts (spec/sign-in §1, spec/sign-in §8). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { freePort } from "../free-port.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Page, TestBrowser } from "./browser.ts";
import { CLIENT, startProvider } from "./test-provider.ts";

const port = await freePort();
const OURS = `http://127.0.0.1:${port}`;
const CALLBACK = `${OURS}/oidc/callback`;
const provider = await closedAfterAll(startProvider([CALLBACK]));
const second = await closedAfterAll(startProvider([CALLBACK]));
const away = await startProvider([CALLBACK]);
await away.close();

const audit = join(temporaryFolder(), "audit.jsonl");
const client = { sign_in: true, client_id: CLIENT.id, client_secret: CLIENT.secret };
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      groups: ["Admins", "Analysts", "Writers", "data-a", "data-b", "by-hand"].map((name) => ({ name })),
      users: [{ username: "byname" }, { username: "taken" }, { username: "boss", groups: ["Admins"] }],
    } as never,
    config: {
      listen_address: `127.0.0.1:${port}`,
      "authorizer.audit.output": audit,
      "authorizer.sign_in.origins": [OURS],
      "authorizer.forward_auth.proxy": "nginx",
      "auth.oidc.validate_id_token_claims": { department: "research" },
      "auth.oidc.default_initial_groups": ["Writers"],
      "auth.oidc.initial_groups_claim_name": ["teams"],
      "auth.oidc.friendly_name_claim_name": ["name"],
      "auth.oidc.persist_friendly_name": "true",
      "auth.logout_redirect_url": "/signed-out",
      "auth.ui_config.login_url": "/oidc/login",
      "authorizer.oidc.issuers": [
        {
          ...client,
          name: "corp",
          title: "Example",
          issuer: provider.issuer,
          username_claim: "preferred_username",
          assert_groups: ["data-*", "Admin*"],
          create_users: true,
          end_session: true,
        },
        {
          ...client,
          name: "partner",
          issuer: second.issuer,
          username_claim: "preferred_username",
          assert_groups: ["Admins"],
          directory_users: true,
          bare_external_id: true,
        },
        { ...client, name: "gone", issuer: away.issuer },
        {
          ...client,
          name: "wrong-secret",
          issuer: provider.issuer.replace("127.0.0.1", "localhost"),
          client_secret: "x",
        },
      ],
    },
  }),
);
const { directory } = authorizer;

const SOUND = { sub: "s-1", preferred_username: "alice", department: "research", name: "Alice É." };

beforeEach(() => {
  provider.claims = SOUND;
  second.claims = SOUND;
});
afterEach(() => authorizer.reset());

function signIn(browser = new TestBrowser(), issuer = "corp", next = "/after"): Promise<Page> {
  return browser.open(`${OURS}/oidc/login?${new URLSearchParams({ issuer, next })}`);
}

/** The user whom the login cookie is for, or the status. */
async function whoIs(browser: TestBrowser): Promise<string | number> {
  const answer = await fetch(`${OURS}/api/v1/user`, { headers: { cookie: browser.header(OURS) } });
  return answer.ok ? ((await answer.json()) as { user: { id: string } }).user.id : answer.status;
}

async function groupsOf(username: string): Promise<readonly string[]> {
  const { results } = await directory.users.groups(username, { amount: 100 });
  return results.map(({ name }) => name);
}

describe("a sign-in with an OpenID provider", () => {
  it("makes the user, signs it in, and leads to a path of this origin", async () => {
    const browser = new TestBrowser();
    const page = await signIn(browser);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('content="0; url=/after"') });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await whoIs(browser)).toBe("alice");
    expect(await directory.users.get("alice")).toMatchObject({
      external_id: "corp:s-1",
      source: "oidc",
      friendly_name: "Alice É.",
    });
    expect(await groupsOf("alice")).toEqual(["Writers"]);
  });

  it("is audited where nobody knows whether it made the user", async () => {
    const { provisioning } = directory;
    directory.provisioning = (isProtected) => {
      directory.provisioning = provisioning;
      const cases = provisioning(isProtected);
      const signInUnknown: typeof cases.signIn = async (person) => {
        await cases.signIn(person);
        throw new AuthorizerError("outcome_unknown", "nobody knows");
      };
      return { ...cases, signIn: signInUnknown };
    };
    expect((await signIn()).status).toBe(503);
    expect((await directory.users.get("alice")).username).toBe("alice");
    await expect
      .poll(() => readFileSync(audit, "utf8"))
      .toMatch(/"event":"login".*"issuer":"corp".*"outcome":"unknown"/);
  });

  it("sets cookies that no script reads: the login cookie for this site alone, the others where links lead", async () => {
    const browser = new TestBrowser();
    await signIn(browser);
    const line = (name: string) => browser.set.find((one) => one.startsWith(`${name}=`)) ?? "";
    expect(line("access_token")).toMatch(/HttpOnly.*SameSite=Strict/);
    expect(line("internal_auth_session")).toMatch(/HttpOnly.*SameSite=Lax/);
    expect(line("svc-sign-in")).toMatch(/HttpOnly.*SameSite=Lax/);
    expect([...(browser.cookies.get(OURS) ?? new Map()).keys()].sort()).toEqual([
      "access_token",
      "internal_auth_session",
    ]);
  });

  it("gives the data server a session that forward-auth takes", async () => {
    const browser = new TestBrowser();
    await signIn(browser);
    const session = browser.cookies.get(OURS)?.get("internal_auth_session");
    const answer = await fetch(`${authorizer.url}/forward-auth`, {
      headers: {
        cookie: `internal_auth_session=${session}`,
        "x-original-method": "GET",
        "x-original-uri": "/api/v1/config",
        "x-original-host": "data.example.com",
      },
    });
    expect(answer.headers.get("x-svc-user")).toBe("alice");
  });

  it("finds the same user again by the id at the issuer, whatever its name is now", async () => {
    await signIn();
    provider.claims = { ...SOUND, preferred_username: "alice.new", name: "Alice N." };
    const browser = new TestBrowser();
    await signIn(browser);
    expect(await whoIs(browser)).toBe("alice");
    expect((await directory.users.get("alice")).friendly_name).toBe("Alice N.");
  });

  it("makes the memberships that claims made equal to the claims, and leaves all others", async () => {
    provider.claims = {
      ...SOUND,
      groups: ["data-a", "data-b", "Analysts", "no-such-group"],
      teams: "data-b , Analysts",
    };
    await signIn();
    expect(await groupsOf("alice")).toEqual(["data-a", "data-b"]);
    await directory.groups.addMember("by-hand", "alice");
    await directory.groups.addMember("data-a", "alice");
    provider.claims = { ...SOUND, groups: ["data-b"] };
    await signIn();
    // Given by hand in the meantime, and the initial one, which claims do not take back.
    expect(await groupsOf("alice")).toEqual(["by-hand", "data-a", "data-b"]);
    provider.claims = SOUND;
    await signIn();
    expect(await groupsOf("alice")).toEqual(["by-hand", "data-a", "data-b"]);
  });

  it("takes memberships back that the claims no longer name", async () => {
    provider.claims = { ...SOUND, groups: ["data-a"] };
    await signIn();
    expect(await groupsOf("alice")).toEqual(["Writers", "data-a"]);
    provider.claims = SOUND;
    await signIn();
    expect(await groupsOf("alice")).toEqual(["Writers"]);
  });

  it("makes one user of ten sign-ins at once", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => signIn()));
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    expect((await directory.users.list({ amount: 10 }, { external_id: "corp:s-1" })).results).toHaveLength(1);
  });

  it("offers the ways in their order, with a page for browsers without scripts", async () => {
    const { ways } = (await (await fetch(`${OURS}/api/v1/auth/sign-in`)).json()) as {
      ways: { title: string }[];
    };
    expect(ways.map(({ title }) => title)).toEqual(["Example", "partner", "gone", "wrong-secret"]);
    const page = await new TestBrowser().open(`${OURS}/oidc/login?next=/x`);
    expect(page.text).toContain('href="/oidc/login?issuer=corp&amp;next=%2Fx"');
    expect(page.text).not.toContain("<script");
  });

  it("knows where it signs out at the provider, too, where the configuration wants that", async () => {
    const facts = async (browser: TestBrowser) => {
      const headers = { cookie: browser.header(OURS) };
      const answer = await fetch(`${OURS}/api/v1/auth/session`, { headers });
      return (await answer.json()) as { sign_out_url: string };
    };
    const browser = new TestBrowser();
    await signIn(browser);
    const url = new URL((await facts(browser)).sign_out_url);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT.id,
      post_logout_redirect_uri: `${OURS}/login`,
    });
    second.claims = { ...SOUND, preferred_username: "byname" };
    const other = new TestBrowser();
    await signIn(other, "partner");
    expect((await facts(other)).sign_out_url).toBe("/signed-out");
  });

  it("ends with the sign-out, at the data server's cookie, too", async () => {
    const browser = new TestBrowser();
    await signIn(browser);
    const before = browser.header(OURS);
    const out = await fetch(`${OURS}/api/v1/auth/logout`, {
      method: "POST",
      headers: { cookie: before, origin: OURS },
    });
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie().map((line) => line.split(";")[0])).toEqual([
      "access_token=",
      "internal_auth_session=",
    ]);
    expect(await whoIs(browser)).toBe(401);
  });
});

interface Row {
  readonly what: string;
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly before?: () => Promise<unknown>;
  readonly status: number;
  readonly says: string;
}

/** Each sign-in that is refused, with what the person reads. */
const REFUSED: readonly Row[] = [
  {
    what: "a name that a user of the service itself has",
    issuer: "partner",
    claims: { ...SOUND, preferred_username: "mirror-x", groups: ["Admins"] },
    before: () => {
      const policy = { statement: [{ effect: "allow" as const, action: ["fs:ReadObject"], resource: "*" }] };
      return directory.serviceUsers.createKey({ username: "mirror-x", worksFor: "m-1", policy }, 3_600);
    },
    status: 403,
    says: "A user here has your name (mirror-x) and is not linked to partner",
  },
  {
    what: "a name that a user has",
    claims: { ...SOUND, preferred_username: "taken" },
    status: 403,
    says: "A user here has your name (taken) and is not linked to Example",
  },
  {
    what: "a name that a user has, in another letter case",
    claims: { ...SOUND, preferred_username: "Taken" },
    status: 403,
    says: "A user here has your name (Taken)",
  },
  {
    what: "a user who is linked elsewhere",
    issuer: "partner",
    before: () => signIn(),
    status: 403,
    says: "belongs to another account",
  },
  {
    what: "required claims missing",
    claims: { ...SOUND, department: "sales" },
    status: 403,
    says: "may not sign in here",
  },
  { what: "no name", claims: { sub: "s-1", department: "research" }, status: 403, says: "who you are" },
  {
    what: "groups that are no names",
    claims: { ...SOUND, groups: [{ id: 1 }] },
    status: 403,
    says: "does not say which groups",
  },
  { what: "an issuer that says another name", issuer: "wrong-secret", status: 503, says: "does not answer" },
];

describe("a sign-in is refused, with a text that the person can act on", () => {
  it.each(REFUSED)("$what", async ({ issuer, claims = SOUND, before, status, says }) => {
    await before?.();
    provider.claims = claims;
    second.claims = claims;
    const browser = new TestBrowser();
    const page = await signIn(browser, issuer);
    expect(page.text).toContain(says);
    expect(page.status).toBe(status);
    expect(await whoIs(browser)).toBe(401);
  });

  it("cancelled at the provider", async () => {
    provider.cancels = true;
    const page = await signIn();
    provider.cancels = false;
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("you cancelled it") });
  });
});

describe("protected groups (authorizer.scim.protected_groups)", () => {
  it("no claim makes an administrator by a pattern of assert_groups", async () => {
    provider.claims = { ...SOUND, groups: ["Admins", "data-a"], teams: ["Admins"] };
    await signIn();
    expect(await groupsOf("alice")).toEqual(["data-a"]);
  });

  it("a claim makes one where assert_groups names the group literally", async () => {
    second.claims = { ...SOUND, preferred_username: "byname", groups: ["Admins"] };
    await signIn(new TestBrowser(), "partner");
    expect(await groupsOf("byname")).toEqual(["Admins"]);
    expect((await directory.users.get("byname")).external_id).toBe("s-1");
  });
});
