/** Settings of the listeners from configuration and log. */

import { hkdfSync } from "node:crypto";
import { PAGE_TOKEN_KEY_BYTES } from "../../api/decisions/search/page-tokens.ts";
import { readServiceTokens } from "../../config/service-tokens.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { HttpLog } from "../../http/ports.ts";
import type { BearerOptions } from "../../listeners/bearer.ts";
import type { AuditLog } from "../../observe/log/audit-log.ts";
import type { Logger } from "../../observe/log/logger.ts";

/** Returns the callers of the service listener. Reads the token files again at each call. */
export function bearerOptions(values: ConfigValues): BearerOptions {
  return {
    apiToken: values["auth.api.token"],
    secretKey: values["auth.encrypt.secret_key"],
    previousSecretKey: values["authorizer.previous_secret_key"],
    tokens: readServiceTokens(values["authorizer.tokens"]).map(({ name, digest, scopes, assertGroups }) => ({
      name,
      tokenSha256: digest.toString("hex"),
      scopes: [...scopes],
      assertGroups,
    })),
  };
}

/** Returns the listeners' log: requests at DEBUG, failures at ERROR, refused callers in the audit log. */
export function httpLog(logger: Logger, audit: AuditLog): HttpLog {
  return {
    requests: logger.enabled("DEBUG"),
    request: (entry) => logger.debug("request", () => ({ ...entry })),
    failure: (entry) => logger.error("request failed", { ...entry }),
    // The log uses the name `message` itself.
    refused: ({ message, ...entry }) => audit.event("authentication_failed", { ...entry, reason: message }),
  };
}

const PAGE_TOKEN_PURPOSE = "svc-authorizer 1 page tokens";

/**
 * Returns the keys of page tokens, that of `auth.encrypt.secret_key` first; none without a secret key. They are
 * derived, so that a page token is valid after a restart and on every node.
 */
export function pageTokenKeys(values: ConfigValues): readonly Buffer[] {
  const secrets = [values["auth.encrypt.secret_key"], values["authorizer.previous_secret_key"]];
  return secrets
    .filter((secret) => secret !== undefined && secret !== "")
    .map((secret) =>
      Buffer.from(hkdfSync("sha256", secret as string, "", PAGE_TOKEN_PURPOSE, PAGE_TOKEN_KEY_BYTES)),
    );
}
