/** The real service with the users of fixtures/datasets/gateways.yaml, asked by a proxy. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { parse } from "yaml";

/** Secret of every access key, new in each run. */
export const SECRET = randomBytes(30).toString("base64");
/** Shared by proxy and service. */
export const PROXY_TOKEN = randomBytes(24).toString("hex");

interface Dataset {
  readonly users: { username: string; credentials: { access_key_id: string }[] }[];
}

const dataset = parse(
  readFileSync(new URL("../../fixtures/datasets/gateways.yaml", import.meta.url), "utf8").replaceAll(
    "secret_access_key_env: GATEWAY_TEST_SECRET",
    `secret_access_key: "${SECRET}"`,
  ),
) as unknown as Dataset & DatasetDocument;

/** Access key id by user. */
export const ACCESS_KEYS: ReadonlyMap<string, string> = new Map(
  dataset.users.map(({ username, credentials }) => [username, credentials[0]?.access_key_id ?? ""]),
);

/** Host of the object-store gateway. */
export const S3_DOMAIN = "s3.example.com";

/** The port that the proxy asks. */
export function portFor({ extAuthz, url }: TestAuthorizer): number {
  return Number(new URL(extAuthz === undefined ? url : `http://${extAuthz}`).port);
}

/** Starts the service for a proxy. */
export function startBehindProxy(
  proxy: string,
  config: Record<string, unknown> = {},
): Promise<TestAuthorizer> {
  return startAuthorizer({
    dataset,
    config: {
      ...(proxy === "envoy over grpc"
        ? { "authorizer.ext_authz.listen_address": "127.0.0.1:0", "auth.api.token": PROXY_TOKEN }
        : {
            "authorizer.forward_auth.proxy": proxy,
            "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
          }),
      "authorizer.audit.output": devNull,
      "gateways.s3.domain_name": S3_DOMAIN,
      "gateways.s3.region": "us-east-1",
      ...config,
    },
  });
}
