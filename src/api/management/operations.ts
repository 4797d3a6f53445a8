/** The management API of the user listener: every operation, authorized by policy (permissions.md §12). */

import type { HttpCounters } from "../../http/ports.ts";
import type { MountedRoute } from "../../http/route.ts";
import type { AuditEvents } from "../rest/ports.ts";
import { ACL_OPERATIONS } from "./acls.ts";
import { ATTACHMENT_OPERATIONS } from "./attachments.ts";
import { CHECK_OPERATIONS } from "./check.ts";
import { CREDENTIAL_OPERATIONS } from "./credentials.ts";
import type { ManagementDeclaration, ManagementParts } from "./declaration.ts";
import { Escalation, type EscalationMode } from "./escalation.ts";
import { EXTERNAL_PRINCIPAL_OPERATIONS } from "./external-principals.ts";
import { GROUP_OPERATIONS } from "./groups.ts";
import { Holdings } from "./holdings.ts";
import { inviteRoutes } from "./invite-page.ts";
import { ManagementAudit } from "./management-audit.ts";
import { mountManagement } from "./management-routes.ts";
import { POLICY_OPERATIONS } from "./policies.ts";
import type { EscalationCheck } from "./ports.ts";
import { SERVER_INFO_OPERATIONS } from "./server-info.ts";
import { SESSION_OPERATIONS } from "./session.ts";
import { SETUP_OPERATIONS } from "./setup-operations.ts";
import { USER_OPERATIONS } from "./users.ts";

/** What the API is made of. */
export interface ManagementOptions extends Omit<ManagementParts, "audit" | "holdings" | "escalation"> {
  readonly audit: AuditEvents;
  /** `authorizer.escalation`. */
  readonly escalation: EscalationMode;
  readonly escalationCheck: EscalationCheck;
  /** Origins under which the listener is known. */
  readonly publicOrigins: ReadonlySet<string>;
}

/** All operations. */
export const MANAGEMENT_OPERATIONS: readonly ManagementDeclaration[] = [
  ...SESSION_OPERATIONS,
  ...SERVER_INFO_OPERATIONS,
  ...SETUP_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...USER_OPERATIONS,
  ...GROUP_OPERATIONS,
  ...ACL_OPERATIONS,
  ...POLICY_OPERATIONS,
  ...ATTACHMENT_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
  ...EXTERNAL_PRINCIPAL_OPERATIONS,
];

/** The routes of the API and of the page behind invitations. */
export function managementRoutes(
  options: ManagementOptions,
  counters: HttpCounters,
): readonly MountedRoute[] {
  const { audit, publicOrigins } = options;
  const serving = { parts: partsOf(options), publicOrigins, audit, counters };
  return [...mountManagement(serving, MANAGEMENT_OPERATIONS), ...inviteRoutes(options, counters)];
}

function partsOf({
  escalation: mode,
  escalationCheck: check,
  ...options
}: ManagementOptions): ManagementParts {
  const { audit, log } = options;
  const holdings = new Holdings(options.directory);
  return {
    ...options,
    audit: new ManagementAudit(audit),
    holdings,
    escalation: new Escalation({ mode, check, directory: options.directory, audit, log }),
  };
}
