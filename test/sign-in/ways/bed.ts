/** The service with every way to sign in, and all that it asks: real providers, slapd, and stand-ins of AWS and of a remote server. */

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { hashPassword } from "../../../src/identity/passwords/password-hash.ts";
import { freePort } from "../../free-port.ts";
import { startSts } from "../../identity/aws-iam/sts-stand-in.ts";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { BASE, hasSlapd, person, SERVICE, startSlapd } from "../slapd.ts";
import { CLIENT, startProvider } from "../test-provider.ts";

/** Users of the directory; `nobody` is none, and `off` is inactive. */
const USERS = ["alice", "off", "boss", "linked"] as const;
/** Password of each user here, at LDAP and at the remote server. */
export const PASSWORDS = {
  own: "a password of the directory",
  ldap: "a password of the LDAP server",
  remote: "a password of the remote server",
} as const;
export const OTHER_CLIENT = {
  id: "another-client",
  secret: "a-secret-of-another-client-of-one-test",
} as const;
export const SECRET_KEY = "the-secret-key-of-the-service-with-every-way";
/** The server for which identities of AWS are signed. */
export const SERVER_ID = "data.example.com";
/** The address at which clients of a data server get their codes. */
const CODE_URI = "http://127.0.0.1:9/callback";

const ACCOUNT = "arn:aws:sts::123456789012:assumed-role";

/** An identity of AWS; the role of a user has the user's name. */
export const awsCaller = (user: string) => ({
  accessKeyId: `ASIA${user.toUpperCase()}`,
  secret: `the secret of the role of ${user}`,
  arn: `${ACCOUNT}/${user}/session`,
});
/** The external principal of a user. */
const principalOf = (user: string): string => `${ACCOUNT}/${user}`;

/** An access key of a user. */
export const keyOf = (user: string) => ({
  access_key_id: `AKIAJ${user.toUpperCase().padEnd(14, "X")}Q`,
  secret_access_key: `the-secret-of-the-access-key-of-${user}`.padEnd(40, "x"),
});

/** A server of the protocol of remote authenticators: it knows everybody by one password. */
async function startRemote() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    asked.push(text);
    const { password } = JSON.parse(text) as { readonly password: string };
    response.writeHead(password === PASSWORDS.remote ? 200 : 401).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, asked, close: () => void server.close() };
}

/** Everything. */
export type Bed = Awaited<ReturnType<typeof startBed>>;

/** Starts it. */
export async function startBed() {
  const folder = mkdtempSync(join(tmpdir(), "ways-"));
  const audit = join(folder, "audit.jsonl");
  const [port, awayPort, closed] = [await freePort(), await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const awayOrigin = `http://127.0.0.1:${awayPort}`;
  const redirects = [`${origin}/oidc/callback`, CODE_URI];
  const clientOf = ({ id, secret }: { readonly id: string; readonly secret: string }) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: redirects,
    response_types: ["code"] as const,
    grant_types: ["authorization_code"],
  });
  const provider = await startProvider(redirects, {
    clients: [clientOf(CLIENT), clientOf(OTHER_CLIENT)] as never,
  });
  const second = await startProvider(redirects);
  const [liar, people, cluster] = [
    await TestIssuer.start(await newKey("liar")),
    await TestIssuer.start(await newKey("people")),
    await TestIssuer.start(await newKey("cluster")),
  ];
  const sts = await startSts([...USERS, "nobody"].map(awsCaller));
  const remote = await startRemote();
  const entries = [...USERS, "nobody"].map((uid) => person(uid, PASSWORDS.ldap));
  const slapd = hasSlapd ? await startSlapd(entries.join("")) : undefined;
  const gone = `http://127.0.0.1:${closed}`;

  const start = (of: Parties) =>
    startAuthorizer({
      dataset: {
        format: 1,
        preconfigured: true,
        policies: [
          { name: "Reads", statement: [{ effect: "allow", action: ["fs:ReadRepository"], resource: "*" }] },
        ],
        users: USERS.map((username) => ({
          username,
          policies: ["Reads"],
          groups: username === "boss" ? ["Admins"] : ["Viewers"],
          credentials: [keyOf(username)],
          external_principals: [principalOf(username)],
          ...(username === "linked" && { external_id: "elsewhere:linked" }),
        })),
      } as never,
      config: configOf({ ...of, audit }) as never,
    });
  const here = await start({
    origin,
    corp: provider.issuer,
    liar: liar.url,
    people: people.url,
    cluster: cluster.url,
    sts: sts.host,
    remote: remote.url,
    ldap: `ldap://127.0.0.1:${slapd?.port ?? closed}`,
  });
  const away = await start({
    origin: awayOrigin,
    corp: gone,
    liar: `${gone}/liar`,
    people: `${gone}/people`,
    cluster: `${gone}/cluster`,
    sts: `127.0.0.1:${closed}`,
    remote: gone,
    ldap: `ldap://127.0.0.1:${closed}`,
  });
  const hash = await hashPassword(PASSWORDS.own);
  const prepare = async ({ directory, ...service }: TestAuthorizer) => {
    await service.reset();
    for (const username of USERS) {
      const { userId } = await directory.sessions.get(username);
      await directory.passwords.set({ username, userId }, hash);
    }
    await directory.users.update("off", { inactive: true });
  };
  return {
    origin,
    awayOrigin,
    gone,
    codeUri: CODE_URI,
    here,
    away,
    provider,
    second,
    liar,
    people,
    cluster,
    sts,
    remote,
    /** Puts both services back to their beginning, with passwords, and with `off` inactive. */
    reset: async () => {
      liar.answer = undefined;
      await prepare(here);
      await prepare(away);
    },
    /** The lines of the audit log of both services. */
    audit: () => readFileSync(audit, "utf8").split("\n").filter(Boolean),
    close: async () => {
      for (const service of [here, away]) await service.close();
      for (const issuer of [liar, people, cluster]) await issuer.stop();
      for (const party of [provider, second, sts, remote]) await party.close();
      await slapd?.close();
      rmSync(folder, { recursive: true });
    },
  };
}

interface Parties {
  readonly origin: string;
  readonly corp: string;
  readonly liar: string;
  readonly people: string;
  readonly cluster: string;
  readonly sts: string;
  readonly remote: string;
  readonly ldap: string;
}

function configOf(of: Parties & { readonly audit: string }): Record<string, unknown> {
  const client = {
    sign_in: true,
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    username_claim: "preferred_username",
    directory_users: true,
  };
  return {
    listen_address: new URL(of.origin).host,
    "auth.encrypt.secret_key": SECRET_KEY,
    "authorizer.audit.output": of.audit,
    "authorizer.audit.decisions": "all",
    "authorizer.sign_in.origins": [of.origin],
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.max_failures": "1000/s",
    "authorizer.passwords.enabled": true,
    "authorizer.ldap.url": of.ldap,
    "authorizer.ldap.bind_dn": SERVICE.dn,
    "authorizer.ldap.bind_password": SERVICE.password,
    "authorizer.ldap.user_base_dn": `ou=people,${BASE}`,
    "authorizer.ldap.directory_users": true,
    "auth.remote_authenticator.enabled": true,
    "auth.remote_authenticator.endpoint": of.remote,
    "auth.ui_config.login_cookie_names": ["internal_auth_session", "oidc_auth_session"],
    "auth.login_max_duration": "24h",
    "auth.login_duration": "1h",
    "authorizer.aws_iam.enabled": true,
    "authorizer.aws_iam.server_id": SERVER_ID,
    "authorizer.aws_iam.sts_hosts": [of.sts],
    "authorizer.authentication_api.enabled": true,
    "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
    "authorizer.authentication_api.sts_issuer": "corp",
    "authorizer.authentication_api.sts_redirect_uris": [CODE_URI],
    "authorizer.sts.enabled": true,
    "authorizer.sts.users": [...USERS, "nobody"].map((user) => ({
      issuer: "cluster",
      claims: { sub: `system:serviceaccount:data:${user}` },
      user,
    })),
    "authorizer.oidc.issuers": [
      { ...client, name: "corp", issuer: of.corp },
      { ...client, name: "liar", issuer: of.liar },
      {
        name: "people",
        issuer: of.people,
        audience: "authorizer",
        directory_users: true,
        required_claims: { tenant: "ours" },
      },
      {
        name: "cluster",
        issuer: of.cluster,
        audience: "authorizer",
        required_claims: { "kubernetes.io.namespace": ["data"] },
      },
    ],
  };
}
