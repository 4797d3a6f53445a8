/** The data-server API: the operations that data servers call (authorization-api.md). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import type { AuditEvents, WarningLog } from "../rest/ports.ts";
import { attachmentOperations } from "./attachments.ts";
import { credentialOperations } from "./credentials.ts";
import { externalPrincipalOperations } from "./external-principals.ts";
import { groupOperations } from "./groups.ts";
import type { Operation } from "./operation.ts";
import { policyOperations } from "./policies.ts";
import type { Invitations } from "./ports.ts";
import { serverCheckOperations } from "./server-check.ts";
import { tokenIdOperations } from "./token-ids.ts";
import { userOperations } from "./users.ts";
import { CallAudit } from "./write-audit.ts";

/** What the API is made of. */
export interface AuthorizationOptions {
  readonly directory: Directory;
  readonly setup: SetupRepeat;
  /** What policies can speak about, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
  /** Version of this package, which data servers log. */
  readonly version: string;
  /** Absent where no mail can be sent: inviting is then refused. */
  readonly invitations?: Invitations | undefined;
}

/** All 37 operations. */
export function authorizationOperations(
  options: AuthorizationOptions,
  decisions: Decisions,
): readonly Operation[] {
  const parts = { ...options, decisions, audit: new CallAudit(options.audit) };
  return [
    ...userOperations(parts),
    ...groupOperations(parts),
    ...policyOperations(parts),
    ...attachmentOperations(parts),
    ...credentialOperations(parts),
    ...externalPrincipalOperations(parts),
    ...tokenIdOperations(parts.directory, parts.audit),
    ...serverCheckOperations(parts.version),
  ];
}
