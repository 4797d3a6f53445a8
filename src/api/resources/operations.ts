/** Every operation of the data-server API and of the management API. */

import type { DataServerDeclaration } from "../data-server/declaration.ts";
import { SERVER_CHECK_OPERATIONS } from "../data-server/server-check.ts";
import { TOKEN_ID_OPERATIONS } from "../data-server/token-ids.ts";
import { ACCESS_OPERATIONS } from "../management/access/access-operations.ts";
import { DIRECTORY_OPERATION } from "../management/access/directory-operation.ts";
import { APPLY_OPERATIONS } from "../management/apply/apply-operation.ts";
import type { ManagementDeclaration } from "../management/declaration.ts";
import { FORGOTTEN_PASSWORD_OPERATIONS } from "../management/login/forgotten-password.ts";
import { OWN_PASSWORD_OPERATIONS } from "../management/login/own-password.ts";
import { SESSION_OPERATIONS } from "../management/login/session.ts";
import { SESSION_FACTS_OPERATIONS } from "../management/login/session-facts.ts";
import { SETUP_OPERATIONS } from "../management/login/setup-operations.ts";
import { USER_SESSION_OPERATIONS } from "../management/login/user-sessions.ts";
import { CHECK_OPERATIONS } from "../management/permissions/check.ts";
import { ACL_OPERATIONS } from "../management/policies/acls.ts";
import { POLICY_HOLDER_OPERATIONS } from "../management/policies/policy-holders.ts";
import { POLICY_VERSION_OPERATIONS } from "../management/policies/policy-versions.ts";
import { COMPARE_OPERATION } from "../management/policy-checks/compare.ts";
import { LINT_OPERATION } from "../management/policy-checks/lint.ts";
import { QUESTION_OPERATION } from "../management/question-operation.ts";
import { QUESTION_OPERATIONS } from "../management/questions.ts";
import { AUDIT_OPERATIONS } from "../management/records/audit-operations.ts";
import { RECORD_OPERATIONS } from "../management/records/record-operations.ts";
import { SHADOW_OPERATIONS } from "../management/records/shadow-operations.ts";
import { SERVER_INFO_OPERATIONS } from "../management/server-info.ts";
import { STATUS_OPERATION } from "../management/status/status-operation.ts";
import { ATTACHMENT_OPERATIONS } from "./attachments.ts";
import { CREDENTIAL_OPERATIONS } from "./credentials.ts";
import { EXTERNAL_PRINCIPAL_OPERATIONS } from "./external-principals.ts";
import { GROUP_OPERATIONS } from "./groups.ts";
import { forDataServers, forManagement, type ResourceOperation } from "./operation.ts";
import { POLICY_OPERATIONS } from "./policies.ts";
import { USER_UPDATE_OPERATION } from "./user-update.ts";
import { USER_OPERATIONS } from "./users.ts";

/** Operations on users, groups, policies and what belongs to them. */
const RESOURCE_OPERATIONS: readonly ResourceOperation[] = [
  ...USER_OPERATIONS,
  USER_UPDATE_OPERATION,
  ...GROUP_OPERATIONS,
  ...POLICY_OPERATIONS,
  ...ATTACHMENT_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
  ...EXTERNAL_PRINCIPAL_OPERATIONS,
];

/** The data-server API: the 37 operations that data servers call (spec/authorization-api §7). */
export const DATA_SERVER_OPERATIONS: readonly DataServerDeclaration[] = [
  ...forDataServers(RESOURCE_OPERATIONS),
  ...TOKEN_ID_OPERATIONS,
  ...SERVER_CHECK_OPERATIONS,
];

/** The management API of the user listener: every operation, authorized by policy (spec/permissions §12). */
export const MANAGEMENT_OPERATIONS: readonly ManagementDeclaration[] = [
  ...SESSION_OPERATIONS,
  ...SESSION_FACTS_OPERATIONS,
  ...OWN_PASSWORD_OPERATIONS,
  ...FORGOTTEN_PASSWORD_OPERATIONS,
  ...USER_SESSION_OPERATIONS,
  ...SERVER_INFO_OPERATIONS,
  STATUS_OPERATION,
  ...RECORD_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SHADOW_OPERATIONS,
  DIRECTORY_OPERATION,
  ...AUDIT_OPERATIONS,
  ...SETUP_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...QUESTION_OPERATIONS,
  QUESTION_OPERATION,
  LINT_OPERATION,
  COMPARE_OPERATION,
  ...POLICY_VERSION_OPERATIONS,
  ...POLICY_HOLDER_OPERATIONS,
  ...APPLY_OPERATIONS,
  ...forManagement(RESOURCE_OPERATIONS),
  ...ACL_OPERATIONS,
];
