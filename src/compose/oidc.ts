/** Tokens of identity providers as the configuration has them, for forward-auth and for the decision API. */

import type { OidcIssuerItem } from "../config/item.ts";
import type { ConfigValues } from "../config/table.ts";
import type { SubjectTokens, VouchedSubject } from "../decisions/subjects/subject-tokens.ts";
import type { OidcIssuer, OidcSubject, OidcTokens } from "../identity/oidc/oidc.ts";
import { openOidc } from "../identity/oidc/open-oidc.ts";

/** Opens the verification of the tokens of `authorizer.oidc.issuers`, once for a process: it keeps their keys. */
export function openIssuers(values: ConfigValues): OidcTokens {
  return openOidc(values["authorizer.oidc.issuers"].map(issuerOf));
}

/** The tokens of subjects of decisions; undefined if no issuer is configured. */
export function subjectTokens(values: ConfigValues, oidc: OidcTokens): SubjectTokens | undefined {
  if (values["authorizer.oidc.issuers"].length === 0) return undefined;
  return {
    verify: (token) => {
      const verified = oidc.verify(token);
      return verified instanceof Promise ? verified.then(vouchedBy) : vouchedBy(verified);
    },
  };
}

function vouchedBy({ username, groups, groupsAreElsewhere, issuer }: OidcSubject): VouchedSubject {
  const { name, assertGroups, directoryUsers } = issuer;
  const asserter = { name, assertGroups };
  return { user: username, groups, groupsAreElsewhere, asserter, mayBeUser: directoryUsers };
}

/** An issuer as the configuration has it. */
export function issuerOf(item: OidcIssuerItem): OidcIssuer {
  return {
    name: item.name,
    issuer: item.issuer,
    audience: item.audience,
    algorithms: item.algorithms,
    jwksUri: item.jwks_uri,
    usernameClaim: item.username_claim,
    groupsClaim: item.groups_claim,
    assertGroups: item.assert_groups,
    directoryUsers: item.directory_users,
    requiredClaims: item.required_claims,
    clockTolerance: item.clock_tolerance,
  };
}
