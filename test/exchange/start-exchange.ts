/** The real service with an exchange, and requests that clients of it send. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { parse } from "yaml";
import { sign, type ToSign } from "../identity/naive-signer.ts";
import { SERVER_KEY } from "./one-key-server.ts";

/** Secret of every user's access key, new in each run. */
export const SECRET = randomBytes(30).toString("base64");
/** Shared by proxy and service. */
export const PROXY_TOKEN = randomBytes(24).toString("hex");
/** Host of the S3 gateway. */
export const S3_DOMAIN = "s3.example.com";

interface Dataset {
  readonly users: { username: string; credentials: { access_key_id: string }[] }[];
}

const dataset = parse(
  readFileSync(new URL("../../fixtures/datasets/exchange.yaml", import.meta.url), "utf8").replaceAll(
    "secret_access_key_env: GATEWAY_TEST_SECRET",
    `secret_access_key: "${SECRET}"`,
  ),
) as unknown as Dataset & DatasetDocument;

/** Access key id by user. */
export const ACCESS_KEYS: ReadonlyMap<string, string> = new Map(
  dataset.users.map(({ username, credentials }) => [username, credentials[0]?.access_key_id ?? ""]),
);

/** Items of the configuration with which the exchange is on. */
export const EXCHANGE = {
  "authorizer.exchange.access_key_id": SERVER_KEY.accessKeyId,
  "authorizer.exchange.secret_access_key": SERVER_KEY.secret,
  "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
};

/** Starts the service for a proxy. */
export function startExchange(
  proxy: string,
  config: Record<string, unknown> = {},
  exchange: Record<string, unknown> = EXCHANGE,
): Promise<TestAuthorizer> {
  return startAuthorizer({
    dataset,
    config: {
      ...(proxy === "envoy over grpc"
        ? { "authorizer.ext_authz.listen_address": "127.0.0.1:0", "auth.api.token": PROXY_TOKEN }
        : { "authorizer.forward_auth.proxy": proxy }),
      "authorizer.audit.output": devNull,
      "gateways.s3.domain_name": S3_DOMAIN,
      "gateways.s3.region": "us-east-1",
      ...exchange,
      ...config,
    },
  });
}

/** Basic credentials of a user. */
export function basicOf(user: string): string {
  return `Basic ${Buffer.from(`${ACCESS_KEYS.get(user)}:${SECRET}`).toString("base64")}`;
}

/** The time now as signatures have it. */
export function timestamp(now = Date.now()): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A request that the user signed. @param uri path and query, as on the wire */
export function signedBy(user: string, method: string, uri: string, change: Partial<ToSign> = {}) {
  const [path = "", query = ""] = uri.split("?");
  const stamp = timestamp();
  const { headers, ...others } = change;
  const request = sign({
    form: "header",
    method,
    path,
    signedPath: decodeURIComponent(path).split("/").map(encodeURIComponent).join("/"),
    query: [...new URLSearchParams(query)],
    headers: { host: S3_DOMAIN, ...headers },
    accessKeyId: ACCESS_KEYS.get(user) ?? "",
    secret: SECRET,
    timestamp: stamp,
    expires: "600",
    payload: headers?.["x-amz-content-sha256"] ?? (others.form === "presigned" ? "UNSIGNED-PAYLOAD" : EMPTY),
    algorithm: "AWS4-HMAC-SHA256",
    scope: [stamp.slice(0, 8), "us-east-1", "s3", "aws4_request"],
    ...others,
  });
  const signedUri = others.form === "presigned" ? `${path}?${request.query}` : uri;
  return { uri: signedUri, headers: [...request.headers] as readonly (readonly [string, string])[] };
}
