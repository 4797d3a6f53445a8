/** Token exchange (RFC 8693): programs with tokens of Kubernetes and of GitHub Actions (spec/sign-in §1). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const kubernetes = await TestIssuer.start(await newKey("kubernetes"));
const github = await TestIssuer.start(await newKey("github"));
const open = await TestIssuer.start(await newKey("open"));
const people = await TestIssuer.start(await newKey("people"));
const away = await TestIssuer.start(await newKey("away"));
const awayUrl = away.url;
await away.stop();
const issuers = [kubernetes, github, open, people];
await closedAfterAll(
  Promise.resolve({ close: async () => void (await Promise.all(issuers.map((one) => one.stop()))) }),
);
const folder = temporaryFolder();
const audit = join(folder, "audit.jsonl");
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [
        { username: "loader", groups: ["Viewers"] },
        { username: "deploy", groups: ["Viewers"] },
        { username: "alice", groups: ["Viewers"] },
        { username: "off", groups: ["Viewers"] },
      ],
    } as never,
    config: {
      "authorizer.audit.output": audit,
      "authorizer.sts.enabled": true,
      "authorizer.sts.users": [
        { issuer: "cluster", claims: { sub: "system:serviceaccount:data:loader" }, user: "loader" },
        { issuer: "cluster", claims: { sub: "system:serviceaccount:data:off" }, user: "off" },
        { issuer: "cluster", claims: { sub: "system:serviceaccount:data:two" }, user: "loader" },
        { issuer: "cluster", claims: { sub: "system:serviceaccount:data:two" }, user: "alice" },
        { issuer: "cluster", claims: { sub: "system:serviceaccount:data:gone" }, user: "gone" },
        { issuer: "github", claims: { ref: "refs/heads/main" }, user: "deploy" },
        { issuer: "open", claims: { sub: "zoe" }, user: "loader" },
        { issuer: "away", claims: { sub: "zoe" }, user: "loader" },
      ],
      "authorizer.oidc.issuers": [
        {
          name: "cluster",
          issuer: kubernetes.url,
          audience: "authorizer",
          required_claims: { "kubernetes.io.namespace": ["data"] },
        },
        {
          name: "github",
          issuer: github.url,
          audience: "authorizer",
          required_claims: {
            repository: ["team/data"],
            repository_owner_id: "4711",
            environment: ["prod", "test"],
          },
        },
        { name: "open", issuer: open.url, audience: "authorizer" },
        {
          name: "people",
          issuer: people.url,
          audience: "authorizer",
          directory_users: true,
          required_claims: { tenant: "ours" },
        },
        { name: "away", issuer: awayUrl, audience: "authorizer", required_claims: { a: "b" } },
      ],
    } as never,
  }),
);
const { directory } = authorizer;
await directory.users.update("off", { inactive: true });
afterEach(() => directory.users.update("off", { inactive: true }));

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPE = "urn:ietf:params:oauth:token-type:";
const ACCESS_KEY = "urn:svc-authorizer:token-type:access_key";

type Claims = Readonly<Record<string, unknown>>;
const pod = (claims: Claims = {}) =>
  kubernetes.token({
    sub: "system:serviceaccount:data:loader",
    "kubernetes.io": { namespace: "data", serviceaccount: { name: "loader" } },
    ...claims,
  });
const JOB = {
  repository: "team/data",
  repository_owner_id: 4711,
  environment: "prod",
  ref: "refs/heads/main",
};
const job = (claims: Claims = {}) =>
  github.token({ sub: "repo:team/data:environment:prod", ...JOB, ...claims });

async function exchange(token: string, more: Record<string, string> = {}) {
  const form = { grant_type: GRANT, subject_token: token, subject_token_type: `${TYPE}jwt`, ...more };
  const answer = await fetch(`${authorizer.userUrl}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, string>> };
}

async function whoIs(type: string, credential: string | undefined): Promise<string | number> {
  const headers = { authorization: `${type} ${credential}` };
  const answer = await fetch(`${authorizer.userUrl}/api/v1/user`, { headers });
  return answer.ok ? ((await answer.json()) as { user: { id: string } }).user.id : answer.status;
}

describe("a token of a program", () => {
  it.each([
    ["a service account of Kubernetes", () => pod(), "loader"],
    ["a job of GitHub Actions", () => job(), "deploy"],
    ["a user of the directory", () => people.token({ sub: "alice", tenant: "ours" }), "alice"],
  ])("gets a login token in: %s", async (_, token, user) => {
    const { status, json } = await exchange(await token());
    expect({ status, type: json["issued_token_type"] }).toEqual({ status: 200, type: `${TYPE}access_token` });
    expect(Number(json["expires_in"])).toBeGreaterThan(3_590);
    expect(Number(json["expires_in"])).toBeLessThanOrEqual(3_600);
    expect(await whoIs("Bearer", json["access_token"])).toBe(user);
  });

  it("gets an access key that expires, if it asks for one", async () => {
    const { json } = await exchange(await pod(), { requested_token_type: ACCESS_KEY });
    expect(json).toMatchObject({ token_type: "Basic", issued_token_type: ACCESS_KEY, expires_in: 3_600 });
    expect(await whoIs("Basic", json["access_token"])).toBe("loader");
    const key = await directory.credentials.getWithSecret(String(json["access_key_id"]));
    expect(key).toMatchObject({ secret_access_key: json["secret_access_key"] });
    expect(key.expires_at).toBeGreaterThan(Date.now() / 1_000 + 3_500);
  });

  it.each([`${TYPE}access_token`, ACCESS_KEY])(
    "gets nothing of an administrator who takes the name that it says: %s",
    async (requested_token_type) => {
      const { users, groups } = directory;
      await users.create({ username: "eve" });
      const { memberships } = users;
      users.memberships = async (...asked) => {
        const found = await memberships(...asked);
        users.memberships = memberships;
        await users.delete("eve");
        await users.create({ username: "eve" });
        await groups.addMember("Admins", "eve");
        return found;
      };
      const { status, json } = await exchange(await people.token({ sub: "eve", tenant: "ours" }), {
        requested_token_type,
      });
      expect([status, json["error"]]).toEqual([400, "invalid_grant"]);
      await users.delete("eve");
    },
  );

  it("replayed: it is exchanged again as long as it holds, as programs keep it in a file", async () => {
    const token = await pod();
    expect((await exchange(token)).status).toBe(200);
    expect((await exchange(token)).status).toBe(200);
  });

  it("the audit log names way, issuer and user, and no token", async () => {
    const token = await job();
    expect((await exchange(token)).status).toBe(200);
    await exchange(token.slice(0, -4));
    const events = () =>
      readFileSync(audit, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Claims);
    await expect
      .poll(() => events().findLast(({ event }) => event === "login"))
      .toMatchObject({ how: "token_exchange", issuer: "github", actor: "deploy" });
    const text = readFileSync(audit, "utf8");
    expect(text).not.toContain(token.split(".")[1]);
  });
});

const now = () => Math.floor(Date.now() / 1_000);

describe("a token is refused", () => {
  it.each<[string, () => Promise<string>]>([
    ["wrong", async () => `${(await pod()).slice(0, -4)}AAAA`],
    ["expired", () => pod({ exp: now() - 60 })],
    ["issued in the future", () => pod({ iat: now() + 3_600, exp: now() + 7_200 })],
    ["for another audience", () => pod({ aud: "https://kubernetes.default.svc" })],
    ["of an issuer that is not known", () => pod({ iss: "https://elsewhere.example.com" })],
    ["of one issuer in the name of another", () => open.token({ iss: kubernetes.url, sub: "x" })],
    ["signed by another key", async () => kubernetes.token({}, { key: await newKey("kubernetes") })],
    [
      "with another algorithm",
      async () => kubernetes.token({}, { key: await newKey("kubernetes", "PS256") }),
    ],
    ["with the algorithm none", async () => unsigned(await pod())],
    ["of an issuer without required_claims", () => open.token({})],
    ["without a required claim", () => pod({ "kubernetes.io": undefined })],
    ["of another namespace", () => pod({ "kubernetes.io": { namespace: "other" } })],
    ["with a list as a required claim", () => pod({ "kubernetes.io": { namespace: ["data"] } })],
    ["of another repository", () => job({ repository: "evil/data" })],
    ["of another environment", () => job({ environment: "staging" })],
    ["of another branch", () => job({ ref: "refs/heads/evil" })],
    ["of somebody whom no entry names", () => pod({ sub: "system:serviceaccount:data:other" })],
    ["for a user who is absent", () => pod({ sub: "system:serviceaccount:data:gone" })],
    ["for a user who is inactive", () => pod({ sub: "system:serviceaccount:data:off" })],
    ["for two users", () => pod({ sub: "system:serviceaccount:data:two" })],
    ["of another tenant", () => people.token({ sub: "alice", tenant: "theirs" })],
  ])("%s", async (_, token) => {
    for (const requested_token_type of [`${TYPE}access_token`, ACCESS_KEY]) {
      const { status, json } = await exchange(await token(), { requested_token_type });
      expect({ status, error: json["error"] }).toEqual({ status: 400, error: "invalid_grant" });
      expect(json).not.toHaveProperty("access_token");
    }
  });

  it("that asks for less than the user has: nothing narrower is issued", async () => {
    for (const [name, error] of [
      ["scope", "invalid_scope"],
      ["audience", "invalid_target"],
      ["resource", "invalid_target"],
      ["actor_token", "invalid_request"],
    ] as const)
      expect((await exchange(await pod(), { [name]: "x" })).json["error"]).toBe(error);
  });

  it("whose provider is away: 503, to be tried again", async () => {
    const token = await open.token({ iss: awayUrl, a: "b" });
    expect((await exchange(token)).status).toBe(503);
  });

  it("at /sts, too, where a required claim is missing", async () => {
    const sts = async (token: string) => {
      const body = new URLSearchParams({
        Action: "AssumeRoleWithWebIdentity",
        RoleArn: "arn:svc:auth:::user/loader",
        RoleSessionName: "pod",
        WebIdentityToken: token,
      });
      return (await fetch(`${authorizer.userUrl}/sts`, { method: "POST", body })).status;
    };
    expect(await sts(await pod())).toBe(200);
    expect(await sts(await pod({ "kubernetes.io": { namespace: "other" } }))).toBe(400);
  });
});

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url");
  return `${header}.${token.split(".")[1]}.`;
}
