/** Forward-auth as the configuration has it. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { ForwardAuthOptions } from "../../api/forward-auth/forward-auth.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import { TrustedProxies } from "../../http/request/client-address.ts";
import type { Identities } from "../../identity/identity.ts";
import type { OidcTokens } from "../../identity/oidc/oidc.ts";
import { KnownSecret } from "../../identity/secret-comparison.ts";
import { serviceExchange } from "./exchange.ts";
import { countingSessions } from "./session-cookies.ts";

/** The data that it needs. */
interface ForwardAuthData {
  readonly values: ConfigValues;
  readonly oidc: OidcTokens;
  readonly catalog: Pick<Catalog, "endpoints">;
}

/** Builds `/forward-auth` of the service listener. */
export function forwardAuth(
  { values, oidc, catalog }: ForwardAuthData,
  decisions: Decisions,
  identities: Identities,
): ForwardAuthOptions {
  const proxyToken = values["authorizer.forward_auth.proxy_token"];
  const publicUrl = values["authorizer.public_url"];
  return {
    decisions,
    identities,
    oidc,
    proxy: values["authorizer.forward_auth.proxy"],
    proxyToken: proxyToken === undefined ? undefined : new KnownSecret(proxyToken),
    missingBody: values["authorizer.forward_auth.body"],
    preflight: values["authorizer.forward_auth.preflight"],
    trusted: new TrustedProxies(values["authorizer.trusted_proxies"]),
    s3Domains: values["gateways.s3.domain_name"],
    exchange: serviceExchange(values, catalog),
    sessionCookies: countingSessions(values),
    publicOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
  };
}
