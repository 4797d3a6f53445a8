/** The audit log and the sessions of users name the way in which an identity of a program was verified (spec/sign-in §8). */

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call } from "../../http/call.ts";
import {
  identityBody,
  identityRequest,
  presignIdentity,
  startSts,
} from "../../identity/aws-iam/sts-stand-in.ts";

const SERVER = "data.example.com";
const ROLE = "arn:aws:sts::123456789012:assumed-role/Jobs";
const OF_OTHER = "cloud/role/loader";
const JOB = { accessKeyId: "ASIAJOB", secret: "secret of the job", arn: `${ROLE}/nightly` };

/** The other server knows accounts by their name, and no others. */
async function startOther() {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { account } = JSON.parse(text) as { readonly account?: string };
    if (account === undefined) response.writeHead(403).end("{}");
    else response.end(JSON.stringify({ id: `cloud/role/${account}` }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return { url, close: async () => void server.close() };
}

const folder = mkdtempSync(join(tmpdir(), "principal-ways-"));
afterAll(() => rmSync(folder, { recursive: true }));
const sts = await closedAfterAll(startSts([JOB]));
const other = await closedAfterAll(startOther());
const service = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [
        { username: "job", groups: ["Admins"], external_principals: [ROLE] },
        { username: "loader", groups: ["Admins"], external_principals: [OF_OTHER] },
      ],
    } as never,
    config: {
      "auth.authentication_api.endpoint": other.url,
      "auth.authentication_api.external_principals_enabled": true,
      "authorizer.audit.output": join(folder, "audit.jsonl"),
      "authorizer.aws_iam.enabled": true,
      "authorizer.aws_iam.server_id": SERVER,
      "authorizer.aws_iam.sts_hosts": [sts.host],
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
    } as never,
  }),
);

/** The events of signing in so far. */
const events = (): readonly Record<string, unknown>[] =>
  readFileSync(join(folder, "audit.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "login" || event === "authentication_failed");
/** The last event: it is written a moment after the answer. */
const expectLastEvent = () => expect.poll(() => events().at(-1));

const FORWARDED = "/authentication/v1/auth/external/principal/login";
async function post(url: string, target: string, body: unknown) {
  const { status, body: json } = await call(url, "POST", target, { body });
  return { status, json };
}
const logIn = (identity: unknown) =>
  post(service.userUrl, "/api/v1/auth/external/principal/login", { identityRequest: identity });
const forwarded = (identity: unknown) => post(service.url, FORWARDED, identity);

const ofAws = (secret = JOB.secret) =>
  identityBody(
    identityRequest(
      presignIdentity({ ...JOB, secret }, { host: sts.host, serverId: SERVER, at: Date.now() }),
    ),
  );

const WAYS = [
  { how: "aws_iam", user: "job", principal: ROLE, valid: () => ofAws(), wrong: () => ofAws("guessed") },
  {
    how: "authentication_api",
    user: "loader",
    principal: OF_OTHER,
    valid: () => ({ account: "loader" }),
    wrong: () => ({ zone: "z" }),
  },
];

it.each(WAYS)("a user who signs in by $how has a session and a record that say so", async (way) => {
  const { status, json } = await logIn(way.valid());
  expect(status).toBe(200);
  const login = { event: "login", how: way.how, actor: way.user, principal: way.principal };
  await expectLastEvent().toMatchObject({ ...login, source_ip: "127.0.0.1" });
  const headers = { authorization: `Bearer ${json.token}` };
  const path = `/api/v1/auth/users/${way.user}/sessions`;
  // A session is written a moment after its token was given.
  await expect
    .poll(async () => (await call(service.userUrl, "GET", path, { headers })).body)
    .toMatchObject({ results: [{ how: way.how, source_ip: "127.0.0.1" }] });
});

it.each(WAYS)("a data server that asks by $how is told, and the record says how", async (way) => {
  expect(await forwarded(way.valid())).toEqual({ status: 200, json: { id: way.principal } });
  await expectLastEvent().toMatchObject({
    event: "login",
    how: way.how,
    actor: way.principal,
    principal: way.principal,
  });
});

it.each(WAYS)("a refusal of $how has a record on either listener", async (way) => {
  const refused = () =>
    events().filter(({ event, how }) => event === "authentication_failed" && how === way.how);
  expect(refused()).toEqual([]);
  for (const refuse of [logIn, forwarded]) expect((await refuse(way.wrong())).status).toBe(403);
  const wanted = expect.objectContaining({ source_ip: "127.0.0.1", reason: expect.any(String) });
  await expect.poll(refused).toEqual([wanted, wanted]);
});

it("an identity that no user has is a refusal, with its principal", async () => {
  expect((await logIn({ account: "stranger" })).status).toBe(404);
  await expectLastEvent().toMatchObject({
    event: "authentication_failed",
    how: "authentication_api",
    principal: "cloud/role/stranger",
  });
});

it("the refusal of a service to which nobody vouches names each item", async () => {
  const config = {
    "authorizer.authentication_api.enabled": true,
    "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
  };
  const bare = await startAuthorizer({ dataset: { format: 1 } as never, config: config as never });
  try {
    const { status, json } = await post(bare.url, FORWARDED, {});
    expect(status).toBe(501);
    for (const item of ["authorizer.aws_iam.enabled", "auth.authentication_api.external_principals_enabled"])
      expect(json.message).toContain(item);
  } finally {
    await bare.close();
  }
});
