/** The management API of the user listener: every operation, authorized by policy (permissions.md §12). */

import type { HttpCounters } from "../../http/ports.ts";
import type { MountedRoute } from "../../http/route.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import type { DecisionLimits } from "../decisions/limits.ts";
import type { WarningLog } from "../rest/ports.ts";
import { aclOperations } from "./acls.ts";
import { attachmentOperations } from "./attachments.ts";
import { checkOperations } from "./check.ts";
import { credentialOperations } from "./credentials.ts";
import { Escalation, type EscalationMode } from "./escalation.ts";
import { principalOperations } from "./external-principals.ts";
import { groupOperations } from "./groups.ts";
import { Holdings } from "./holdings.ts";
import { inviteRoutes } from "./invite-page.ts";
import { ManagementAudit } from "./management-audit.ts";
import { mountManagement, type ServingParts } from "./management-routes.ts";
import type { ManagementOperation } from "./operation.ts";
import { policyOperations } from "./policies.ts";
import type { EscalationCheck, GroupAcls, Setup, UserInvitations } from "./ports.ts";
import { serverInfoOperations } from "./server-info.ts";
import { type SessionParts, sessionOperations } from "./session.ts";
import { setupOperations } from "./setup-operations.ts";
import { userOperations } from "./users.ts";

/** What the API is made of. */
export interface ManagementOptions extends ServingParts, Pick<SessionParts, "directory" | "cookieDomain"> {
  readonly limits: DecisionLimits;
  /** What policies can speak about, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly acls: GroupAcls;
  /** `authorizer.escalation`. */
  readonly escalation: EscalationMode;
  readonly escalationCheck: EscalationCheck;
  readonly setup: Setup;
  /** `auth.ui_config.rbac`, told to browsers. */
  readonly rbac: string;
  readonly invitations: UserInvitations;
  readonly log: WarningLog;
  /** Version of this package. */
  readonly version: string;
}

/** All operations. */
export function managementOperations(options: ManagementOptions): readonly ManagementOperation[] {
  const holdings = new Holdings(options.directory);
  const parts = {
    ...options,
    audit: new ManagementAudit(options.audit),
    holdings,
    canInvite: options.invitations.available,
    escalation: new Escalation({
      mode: options.escalation,
      check: options.escalationCheck,
      holdings,
      audit: options.audit,
      log: options.log,
    }),
  };
  return [
    ...sessionOperations(parts),
    ...serverInfoOperations(parts),
    ...setupOperations(parts),
    ...checkOperations(parts),
    ...userOperations(parts),
    ...groupOperations(parts),
    ...aclOperations(parts),
    ...policyOperations(parts),
    ...attachmentOperations(parts),
    ...credentialOperations(parts),
    ...principalOperations(parts),
  ];
}

/** The routes of the API and of the page behind invitations. */
export function managementRoutes(
  options: ManagementOptions,
  counters: HttpCounters,
): readonly MountedRoute[] {
  return [
    ...mountManagement(options, managementOperations(options), counters),
    ...inviteRoutes(options, counters),
  ];
}
