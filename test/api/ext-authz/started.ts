/** The service with its listener of ext_authz, and ways to ask it as Envoy does. */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { onTestFinished } from "vitest";
import { ACCESS_KEYS, SECRET, startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { type Asked, EnvoyClient } from "./envoy-client.ts";

export const GRPC = "envoy over grpc";
export const DECIDER = "a-token-with-the-scope-decide-0123456789";
export const READER = "a-token-with-the-scope-read-0123456789abc";
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const TOKENS = [
  { name: "envoy", token: DECIDER, scopes: ["decide"] },
  { name: "reader", token: READER, scopes: ["read"] },
];
export const BRANCHES = "/api/v1/repositories/data/branches";

/** A question of a user, with further headers. */
export function by(user: string, path = BRANCHES, more: readonly (readonly [string, string])[] = []): Asked {
  const basic = Buffer.from(`${ACCESS_KEYS.get(user)}:${SECRET}`).toString("base64");
  return { path, headers: [["authorization", `Basic ${basic}`], [":path", path], ...more] };
}

export async function started(config: Record<string, unknown>): Promise<[TestAuthorizer, EnvoyClient]> {
  const other = await startBehindProxy(GRPC, { "authorizer.tokens": TOKENS, ...config });
  const client = new EnvoyClient(other.extAuthz as string);
  onTestFinished(async () => {
    client.close();
    await other.close();
  });
  return [other, client];
}
