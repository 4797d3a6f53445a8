/** The real service with all that it can be configured to do, and a directory that mutated requests may change. */

import { connect } from "node:net";
import { join } from "node:path";
import { ALICE_KEY, heavyDataset } from "../holds/heavy-world.ts";
import { newFolder, type RunningProgram, start, writeConfig } from "../program.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const SCOPES = ["decide", "search", "read", "write", "secrets", "replicate", "scim"];
/** The token of the proxy. */
export const PROXY_TOKEN = "a-proxy-token-that-only-this-test-knows-012345";
/** Nobody listens there. */
const NOBODY = "http://127.0.0.1:9";
const KEY_OF_NOBODY = {
  access_key_id: "AKIAJSOURCEEXAMPLEXQ",
  secret_access_key: "a-secret-that-nobody-knows",
};
const ISSUER = {
  name: "cluster",
  issuer: NOBODY,
  jwks_uri: `${NOBODY}/jwks`,
  audience: "authorizer",
  sign_in: true,
  title: "Cluster",
  client_id: "client",
  client_secret: "a-secret-of-the-client",
};

/** The credentials of requests: a token with every scope, and the key of `alice`, who manages the directory. */
export const CREDENTIALS = {
  service: `Bearer ${TOKEN}`,
  user: `Basic ${Buffer.from(`${ALICE_KEY.access_key_id}:${ALICE_KEY.secret_access_key}`).toString("base64")}`,
} as const;

/** Starts the service, with further items of the configuration. */
export async function startFull(more: Readonly<Record<string, unknown>> = {}): Promise<RunningProgram> {
  const folder = newFolder();
  const dataset = writeConfig(folder, heavyDataset(20), "dataset.json");
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.public_url": "https://authorizer.example.com",
    "authorizer.datasets": [dataset],
    "authorizer.shadow.candidate": dataset,
    "authorizer.tokens": [{ name: "test", token: TOKEN, scopes: SCOPES, assert_groups: ["*"] }],
    "authorizer.subjects.unknown": "from_request",
    "authorizer.oidc.issuers": [ISSUER],
    "authorizer.sign_in.origins": ["https://authorizer.example.com"],
    "authorizer.sts.enabled": true,
    "authorizer.sts.users": [{ issuer: "cluster", claims: { sub: "job" }, user: "alice" }],
    "authorizer.authentication_api.enabled": true,
    "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
    "authorizer.authentication_api.sts_issuer": "cluster",
    "authorizer.authentication_api.sts_redirect_uris": [`${NOBODY}/`],
    "authorizer.aws_iam.enabled": true,
    "authorizer.aws_iam.server_id": "authorizer.example.com",
    "authorizer.passwords.enabled": true,
    "authorizer.mirroring.source": { endpoint: NOBODY, ...KEY_OF_NOBODY },
    "authorizer.mirroring.regions": { west: { endpoint: NOBODY, ...KEY_OF_NOBODY } },
    "authorizer.ext_authz.listen_address": "127.0.0.1:0",
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
    "authorizer.trusted_proxies": ["loopback"],
    "authorizer.exchange.access_key_id": "AKIAJEXCHANGEEXAMPLQ",
    "authorizer.exchange.secret_access_key": "a-secret-of-the-exchange-that-nobody-knows",
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": NOBODY,
    "authorizer.audit.directory": join(folder, "audit"),
    "authorizer.decision_log.include": "all",
    "authorizer.decision_log.directory": join(folder, "decisions"),
    "email.smtp_host": "127.0.0.1",
    "email.smtp_port": 9,
    "email.sender": "authorizer@example.com",
    "email.svc_base_url": "https://authorizer.example.com",
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    ...more,
  });
  return start(["--config", config], folder);
}

/** Makes again what the examples of requests name, where a request removed it. */
export async function restoreExamples({ service }: RunningProgram): Promise<void> {
  const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];
  const everything = [{ effect: "allow", action: ["fs:*", "auth:*", "ci:*"], resource: "*" }];
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ["POST", "users", { username: "bob" }],
    ["POST", "groups", { id: "Readers" }],
    ["POST", "policies", { name: "ReadData", statement }],
    ["POST", "policies", { name: "Everything", statement: everything }],
    ["PUT", "groups/Readers/members/bob"],
    ["PUT", "users/bob/policies/ReadData"],
    ["PUT", "users/alice/policies/Everything"],
  ];
  for (const [method, path, body] of calls) {
    await fetch(`${service}/api/v1/auth/${path}`, {
      method,
      headers: { authorization: CREDENTIALS.service, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then((response) => response.arrayBuffer());
  }
}

/** Sends bytes to a listener, in two pieces; resolves with what it answered until it or the caller has had enough. */
export function sendBytes(
  url: string,
  { bytes, cut, isReset }: { readonly bytes: Buffer; readonly cut: number; readonly isReset: boolean },
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
    });
    // Being cut off is one of the answers.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => {
      socket.write(bytes.subarray(cut), () => {
        if (isReset) socket.resetAndDestroy();
        else socket.end();
      });
    });
  });
}
