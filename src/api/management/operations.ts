/** The routes of the management API, and what they are made of. */

import type { HttpCounters } from "../../http/ports.ts";
import type { MountedRoute } from "../../http/route.ts";
import { DeviceRequests } from "../../sign-in/device-requests.ts";
import { Holdings } from "../rest/holdings.ts";
import type { AuditEvents } from "../rest/ports.ts";
import type { ManagementDeclaration, ManagementParts } from "./declaration.ts";
import { inviteRoutes } from "./invitations/invite-page.ts";
import { logoutRoutes } from "./login/logout-page.ts";
import { ManagementAudit } from "./management-audit.ts";
import { mountManagement } from "./management-routes.ts";
import { Escalation, type EscalationMode } from "./permissions/escalation.ts";
import type { EscalationCheck } from "./ports.ts";
import { policyBody, userBody } from "./shapes.ts";
import { deviceRoutes } from "./sign-in/device-routes.ts";
import { formRoutes } from "./sign-in/form-routes.ts";
import { oauthRoutes } from "./sign-in/oauth-routes.ts";
import { oidcRoutes } from "./sign-in/oidc-routes.ts";

/** Parts of the API. */
export interface ManagementOptions
  extends Omit<ManagementParts, "audit" | "holdings" | "escalation" | "writes" | "shapes"> {
  readonly audit: AuditEvents;
  /** `authorizer.escalation`. */
  readonly escalation: EscalationMode;
  readonly escalationCheck: EscalationCheck;
  /** Origins under which the listener is known. */
  readonly publicOrigins: ReadonlySet<string>;
}

/** The routes of the API, of the page behind invitations, and of sign-ins with identity providers. */
export function managementRoutes(
  declarations: readonly ManagementDeclaration[],
  options: ManagementOptions,
  counters: HttpCounters,
): readonly MountedRoute[] {
  const { audit, publicOrigins } = options;
  const serving = { parts: partsOf(options), publicOrigins, audit, counters };
  const asking = { ...options, devices: new DeviceRequests(options) };
  return [
    ...mountManagement(serving, declarations),
    ...inviteRoutes(options, counters),
    ...oidcRoutes(options, counters),
    ...formRoutes(options, counters),
    ...deviceRoutes(asking, counters),
    ...oauthRoutes(asking, counters),
    ...logoutRoutes(options, counters),
  ];
}

function partsOf({
  escalation: mode,
  escalationCheck: check,
  ...options
}: ManagementOptions): ManagementParts {
  const { audit, log, directory } = options;
  const holdings = new Holdings(directory);
  return {
    ...options,
    audit: new ManagementAudit(audit),
    holdings,
    writes: {
      createGroup: directory.groups.create,
      createPolicy: directory.policies.create,
      attachPolicyToGroup: directory.groups.attachPolicy,
    },
    shapes: { user: userBody, policy: policyBody, usersHeaders: undefined },
    escalation: new Escalation({ mode, check, directory, audit, log }),
  };
}
