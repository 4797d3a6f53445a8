/** Identities of AWS at the authentication API and at the user listener (spec/sign-in §3). */

import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call } from "../../http/call.ts";
import {
  identityBody,
  identityRequest,
  identityXml,
  presignIdentity,
  startSts,
} from "../../identity/aws-iam/sts-stand-in.ts";

const ROLE = "arn:aws:sts::123456789012:assumed-role/Jobs";
const JOB = { accessKeyId: "ASIAJOB", secret: "secret of the job", arn: `${ROLE}/nightly` };
const OTHER = { accessKeyId: "ASIAOTHER", secret: "secret of another", arn: `${ROLE}/special` };
const NOBODY = {
  accessKeyId: "ASIANOBODY",
  secret: "secret of nobody",
  arn: "arn:aws:iam::123456789012:user/zoe",
};
const SERVER = "data.example.com";
const LOGIN = "/authentication/v1/auth/external/principal/login";

const sts = await closedAfterAll(startSts([JOB, OTHER, NOBODY]));
beforeEach(() => {
  sts.answer = undefined;
  sts.reached.length = 0;
});

const start = (config: Record<string, unknown> = {}) =>
  startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [
        { username: "job", groups: ["Viewers"], external_principals: [ROLE] },
        { username: "special", groups: ["Viewers"], external_principals: [OTHER.arn] },
      ],
    } as unknown as DatasetDocument,
    config: {
      "authorizer.aws_iam.enabled": true,
      "authorizer.aws_iam.server_id": SERVER,
      "authorizer.aws_iam.sts_hosts": [sts.host],
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
      ...config,
    } as never,
  });
const service = await closedAfterAll(start());

const signedBy = (caller: typeof JOB, more: Partial<Parameters<typeof presignIdentity>[1]> = {}) =>
  identityRequest(presignIdentity(caller, { host: sts.host, serverId: SERVER, at: Date.now(), ...more }));

async function post(url: string, target: string, body: unknown) {
  const { status, body: json } = await call(url, "POST", target, { body });
  return { status, json };
}
const ask = (parts: unknown, on = service) => post(on.url, LOGIN, identityBody(parts));

describe("an identity of AWS", () => {
  it("is the principal without the session, and the exact one where the directory has it", async () => {
    expect(await ask(signedBy(JOB))).toEqual({ status: 200, json: { id: ROLE } });
    expect(await ask(signedBy(OTHER))).toEqual({ status: 200, json: { id: OTHER.arn } });
    expect(await ask(signedBy(NOBODY))).toEqual({ status: 200, json: { id: NOBODY.arn } });
    expect(sts.reached.map(({ serverId }) => serverId)).toEqual([SERVER, SERVER, SERVER]);
  });

  it("with a session token is sent on with it", async () => {
    expect((await ask(signedBy(JOB, { token: "Token+of/AWS==" }))).status).toBe(200);
    expect(sts.reached[0]?.target).toContain("X-Amz-Security-Token=Token%2Bof%2FAWS%3D%3D");
  });

  it.each<[string, () => unknown, number]>([
    ["signed with another secret", () => signedBy({ ...JOB, secret: "guessed" }), 403],
    ["of an unknown key", () => signedBy({ ...JOB, accessKeyId: "ASIAX" }), 403],
    ["signed for another server", () => signedBy(JOB, { serverId: "other.example.com" }), 403],
    ["signed long ago", () => signedBy(JOB, { at: Date.now() - 120_000 }), 403],
    ["signed in the future", () => signedBy(JOB, { at: Date.now() + 600_000 }), 403],
    ["with another signature", () => ({ ...signedBy(JOB), signature: "0".repeat(64) }), 403],
    ["with the key of somebody else", () => ({ ...signedBy(JOB), access_key_id: OTHER.accessKeyId }), 403],
    [
      "that lives longer than it was signed for",
      () => ({ ...signedBy(JOB), expiration_duration: "3600" }),
      403,
    ],
  ])("%s is refused", async (_, parts, status) => {
    const answer = await ask(parts());
    expect(answer.status).toBe(status);
    expect(answer.json).not.toHaveProperty("id");
  });

  it.each<[string, (parts: Record<string, unknown>) => unknown]>([
    ["a host that is not configured", (parts) => ({ ...parts, host: "169.254.169.254" })],
    ["a host with a path", (parts) => ({ ...parts, host: `${sts.host}/x` })],
    ["a host with a user", (parts) => ({ ...parts, host: `a@${sts.host}` })],
    ["a host in another case", (parts) => ({ ...parts, host: "STS.AMAZONAWS.COM" })],
    ["another method", (parts) => ({ ...parts, method: "GET" })],
    ["another action", (parts) => ({ ...parts, action: "AssumeRole" })],
    ["headers without that of the server", (parts) => ({ ...parts, signed_headers: ["host"] })],
    ["more headers", (parts) => ({ ...parts, signed_headers: ["host", "x-a", "x-lakefs-server-id"] })],
    ["a member that nobody knows", (parts) => ({ ...parts, url: "http://127.0.0.1" })],
    ["a member that is missing", ({ version: _, ...parts }) => parts],
    ["a date that is none", (parts) => ({ ...parts, date: "20269999T999999Z" })],
    ["a number for a text", (parts) => ({ ...parts, expiration_duration: 60 })],
    ["a list", (parts) => [parts]],
  ])("with %s is 400, and nobody is asked", async (_, change) => {
    expect((await ask(change(signedBy(JOB)))).status).toBe(400);
    expect(sts.reached).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["no token", {}],
    ["two members", { ...identityBody({}), more: 1 }],
    ["no base64", { identity_token: "{}" }],
    ["no JSON", { identity_token: Buffer.from("x").toString("base64") }],
    ["a token that is too long", { identity_token: "A".repeat(70_000) }],
  ])("in a body with %s is 400", async (_, body) => {
    expect((await post(service.url, LOGIN, body)).status).toBe(400);
    expect(sts.reached).toEqual([]);
  });

  it.each<[string, NonNullable<typeof sts.answer>, number]>([
    [
      "redirects",
      () => ({ status: 302, body: "", headers: { location: `http://${sts.host}/elsewhere` } }),
      503,
    ],
    ["fails", () => ({ status: 500, body: "" }), 503],
    ["answers too much", () => ({ status: 200, body: " ".repeat(70_000) + identityXml(JOB.arn) }), 503],
    ["answers something else", () => ({ status: 200, body: "<x/>" }), 503],
    [
      "answers with entities",
      () => ({ status: 200, body: `<!DOCTYPE a [<!ENTITY e "x">]>${identityXml(JOB.arn)}` }),
      503,
    ],
    ["names no ARN", () => ({ status: 200, body: identityXml("alice") }), 503],
    ["names two", () => ({ status: 200, body: identityXml(`${JOB.arn}</Arn><Arn>${OTHER.arn}`) }), 503],
  ])("is nobody where AWS %s", async (_, answer, status) => {
    sts.answer = answer;
    expect((await ask(signedBy(JOB))).status).toBe(status);
    expect(sts.reached).toHaveLength(1);
  });

  it("is for the peers that the configuration names, whatever a header says", async () => {
    const closed = await closedAfterAll(
      start({ "authorizer.authentication_api.trusted_servers": ["192.0.2.1"] }),
    );
    expect((await ask(signedBy(JOB), closed)).status).toBe(403);
    const headers = { "x-forwarded-for": "192.0.2.1" };
    const path = "/authentication/v1/healthcheck";
    expect((await call(closed.url, "GET", path, { headers })).status).toBe(403);
    expect((await call(service.url, "GET", path)).status).toBe(204);
    expect(sts.reached).toEqual([]);
  });

  it("is not there unless it is configured", async () => {
    const off = await closedAfterAll(start({ "authorizer.authentication_api.enabled": false }));
    expect((await ask(signedBy(JOB), off)).status).toBe(404);
    const noAws = await closedAfterAll(start({ "authorizer.aws_iam.enabled": false }));
    expect((await ask(signedBy(JOB), noAws)).status).toBe(501);
  });
});

describe("the user listener", () => {
  const login = (parts: unknown, more = {}, on = service) =>
    post(on.userUrl, "/api/v1/auth/external/principal/login", {
      identityRequest: identityBody(parts),
      ...more,
    });

  it("gives a login token to a program with an identity of AWS", async () => {
    const { status, json } = await login(signedBy(JOB), { token_expiration_duration: 60 });
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${json.token}` };
    const user = await call(service.userUrl, "GET", "/api/v1/user", { headers });
    expect(user.body).toMatchObject({ user: { id: "job" } });
  });

  it("gives none of a user who takes the name while the principal is looked up", async () => {
    const { users, externalPrincipals } = service.directory;
    const { owner } = externalPrincipals;
    let looks = 0;
    externalPrincipals.owner = async (id) => {
      const found = await owner(id);
      if (found === undefined || ++looks < 2) return found;
      externalPrincipals.owner = owner;
      await users.delete("job");
      await users.create({ username: "job" });
      return found;
    };
    const { status, json } = await login(signedBy(JOB));
    expect([status, json.token]).toEqual([401, undefined]);
  });

  it("gives none to who is nobody here, inactive, or refused by AWS", async () => {
    expect((await login(signedBy(NOBODY))).status).toBe(404);
    expect((await login(signedBy({ ...JOB, secret: "guessed" }))).status).toBe(403);
    await service.directory.users.update("special", { inactive: true });
    // Nor does the user of the role stand in for the inactive user of the session.
    const answer = await login(signedBy(OTHER));
    expect(answer.status).toBe(403);
    expect(answer.json).not.toHaveProperty("token");
    expect((await ask(signedBy(OTHER))).status).toBe(403);
  });
});
