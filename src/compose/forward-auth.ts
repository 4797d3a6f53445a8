/** Forward-auth as the configuration has it. */

import type { ForwardAuthOptions } from "../api/forward-auth/forward-auth.ts";
import type { OidcIssuerItem } from "../config/item.ts";
import type { ConfigValues } from "../config/table.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { TrustedProxies } from "../http/client-address.ts";
import type { Identities } from "../identity/identity.ts";
import type { OidcIssuer } from "../identity/oidc/oidc.ts";
import { openOidc } from "../identity/oidc/open-oidc.ts";

function issuerOf(item: OidcIssuerItem): OidcIssuer {
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
    clockTolerance: item.clock_tolerance,
  };
}

/** Builds `/forward-auth` of the service listener. */
export function forwardAuth(
  values: ConfigValues,
  decisions: Decisions,
  identities: Identities,
): ForwardAuthOptions {
  const publicUrl = values["authorizer.public_url"];
  return {
    decisions,
    identities,
    oidc: openOidc(values["authorizer.oidc.issuers"].map(issuerOf)),
    proxy: values["authorizer.forward_auth.proxy"],
    proxyToken: values["authorizer.forward_auth.proxy_token"],
    missingBody: values["authorizer.forward_auth.body"],
    trusted: new TrustedProxies(values["authorizer.trusted_proxies"]),
    s3Domains: values["gateways.s3.domain_name"],
    publicOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
  };
}
