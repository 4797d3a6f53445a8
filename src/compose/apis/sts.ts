/** The security token service, as the configuration has it. */

import type { StsOptions } from "../../api/sts/sts-routes.ts";
import { limitsOf } from "../../config/limits.ts";
import { TrustedProxies } from "../../http/request/client-address.ts";
import type { Identities } from "../../identity/identity.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import type { DataParts } from "../data.ts";
import { webUsers } from "./web-users.ts";

/** The options of the service; undefined where it is off. */
export function stsOptions(
  data: DataParts,
  { identities, audit }: { readonly identities: Identities; readonly audit: AuditEvents },
): StsOptions | undefined {
  const { values, directory, catalog, oidc } = data;
  if (!values["authorizer.sts.enabled"]) return undefined;
  return {
    oidc,
    users: webUsers(data),
    partition: catalog.partition,
    directory,
    identities,
    audit,
    proxies: new TrustedProxies(values["authorizer.trusted_proxies"]),
    limits: limitsOf(values),
  };
}
