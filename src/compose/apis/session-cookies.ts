/** The session cookies of the data server that count, as the configuration has it (spec/sign-in §5). */

import type { ConfigValues } from "../../config/table.ts";
import type { SessionCookieName } from "../../identity/session-cookies/sealed-cookie.ts";
import type { ClaimRules } from "../../identity/session-cookies/session-users.ts";

/** The cookies that count: `internal_auth_session` always, the others where they are named. */
export function countingSessions(values: ConfigValues): ReadonlySet<SessionCookieName> {
  return new Set<SessionCookieName>(["internal_auth_session", ...sessionClaims(values).keys()]);
}

/** The rules for the cookies that hold claims, as far as these count. */
export function sessionClaims(values: ConfigValues): ReadonlyMap<SessionCookieName, ClaimRules> {
  const named = values["auth.ui_config.login_cookie_names"];
  const rules: readonly (readonly [SessionCookieName, ClaimRules])[] = [
    [
      "oidc_auth_session",
      {
        externalIdClaim: "sub",
        required: values["auth.oidc.validate_id_token_claims"] ?? new Map(),
      },
    ],
    [
      "saml_auth_session",
      {
        externalIdClaim: values["auth.cookie_auth_verification.external_user_id_claim_name"],
        required: values["auth.cookie_auth_verification.validate_id_token_claims"] ?? new Map(),
      },
    ],
  ];
  return new Map(rules.filter(([name]) => named.includes(name)));
}
