/** The data-server API: the 37 operations that data servers call (authorization-api.md §7). */

import { ATTACHMENT_OPERATIONS } from "./attachments.ts";
import { CREDENTIAL_OPERATIONS } from "./credentials.ts";
import type { DataServerDeclaration } from "./declaration.ts";
import { EXTERNAL_PRINCIPAL_OPERATIONS } from "./external-principals.ts";
import { GROUP_OPERATIONS } from "./groups.ts";
import { POLICY_OPERATIONS } from "./policies.ts";
import { SERVER_CHECK_OPERATIONS } from "./server-check.ts";
import { TOKEN_ID_OPERATIONS } from "./token-ids.ts";
import { USER_OPERATIONS } from "./users.ts";

/** All of them. */
export const DATA_SERVER_OPERATIONS: readonly DataServerDeclaration[] = [
  ...USER_OPERATIONS,
  ...GROUP_OPERATIONS,
  ...POLICY_OPERATIONS,
  ...ATTACHMENT_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
  ...EXTERNAL_PRINCIPAL_OPERATIONS,
  ...TOKEN_ID_OPERATIONS,
  ...SERVER_CHECK_OPERATIONS,
];
