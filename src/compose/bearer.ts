/** The callers that the configuration knows. */

import { readServiceTokens } from "../config/service-tokens.ts";
import type { ConfigValues } from "../config/table.ts";
import type { BearerOptions } from "../listeners/bearer.ts";

/** Who may call, as the verifier takes it; files of tokens are read anew. */
export function bearerOptions(values: ConfigValues): BearerOptions {
  return {
    apiToken: values["auth.api.token"],
    secretKey: values["auth.encrypt.secret_key"],
    previousSecretKey: values["authorizer.previous_secret_key"],
    tokens: readServiceTokens(values["authorizer.tokens"]).map(({ name, digest, scopes }) => ({
      name,
      tokenSha256: digest.toString("hex"),
      scopes: [...scopes],
    })),
  };
}
