/** The management API of the user listener: every operation, authorized by policy (permissions.md §12). */

import type { ServerResponse } from "node:http";
import type { HttpLimits } from "../../http/limits.ts";
import { refuseMethod } from "../../http/refuse-method.ts";
import type { ServiceRequest } from "../../http/service-request.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { BASE_PATH } from "../data-server/operation.ts";
import { PathTable } from "../data-server/path-match.ts";
import { aclOperations } from "./acls.ts";
import { attachmentOperations } from "./attachments.ts";
import { checkOperations } from "./check.ts";
import { credentialOperations } from "./credentials.ts";
import { Escalation, type EscalationMode } from "./escalation.ts";
import { principalOperations } from "./external-principals.ts";
import { groupOperations } from "./groups.ts";
import { Holdings } from "./holdings.ts";
import { type InvitePageParts, invitePage } from "./invite-page.ts";
import { ManagementAudit } from "./management-audit.ts";
import type { ManagementOperation } from "./operation.ts";
import { policyOperations } from "./policies.ts";
import type { EscalationCheck, GroupAcls, ManagementLog, Setup, UserInvitations } from "./ports.ts";
import { type ServingParts, serveManagement } from "./serve-management.ts";
import { serverInfoOperations } from "./server-info.ts";
import { type SessionParts, sessionOperations } from "./session.ts";
import { setupOperations } from "./setup-operations.ts";
import { userOperations } from "./users.ts";

/** What the API is made of. */
export interface ManagementOptions
  extends Omit<ServingParts, "edge">,
    Pick<SessionParts, "directory" | "cookieDomain"> {
  readonly limits: HttpLimits;
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
  readonly log: ManagementLog;
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

/** Serves a request if its path is one of the API's; false: somebody else may. */
export type ManagementHandler = (request: ServiceRequest, response: ServerResponse) => boolean;

/** Builds the handler. As the authorization API it reads the raw request target, before any router. */
export function managementHandler(
  parts: ServingParts & InvitePageParts,
  operations: readonly ManagementOperation[],
): ManagementHandler {
  const { counters } = parts.edge;
  const mounted = operations.map(({ path, ...operation }) => {
    const whole = BASE_PATH + path;
    return {
      method: operation.method,
      path,
      operation: { ...operation, path: whole, meter: counters.route(operation.method, whole) },
    };
  });
  const table = new PathTable(mounted);
  const invite = invitePage(parts);
  const unmatched = counters.route("*", "unmatched");
  return (request, response) => {
    const found = table.match(request.url as string);
    if (found === undefined) return invite(request, response);
    const one = found.operations.get(request.method as string);
    if (one !== undefined) serveManagement(parts, one.operation, found.params, request, response);
    else refuseMethod([...found.operations.keys()], unmatched, request, response);
    return true;
  };
}
