/** External principals in the management API (permissions.md §12): served in every mode. */

import type { Directory } from "../../directory/directory.ts";
import { withFieldNames } from "../rest/body-fields.ts";
import { created, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { principalId } from "../rest/query-fields.ts";
import { principalBody } from "../rest/shapes.ts";
import { judgeActingAs } from "./credentials.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { permitted, type UserOperation } from "./operation.ts";

const OF_USER = "/auth/users/{userId}/external/principals";
const QUERY_NAMES = new Map([["/principalId", "principalId"]]);

/** What the operations on external principals need. */
export interface PrincipalParts {
  readonly directory: Directory;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
}

/** The operations. */
export function principalOperations({
  directory: { externalPrincipals },
  audit,
  escalation,
  holdings,
}: PrincipalParts): readonly UserOperation[] {
  return [
    permitted("listUserExternalPrincipals", "GET", `${OF_USER}/ls`, (call) =>
      listReply(call, (page) => externalPrincipals.list(param(call, 0), page), principalBody),
    ),
    permitted("createUserExternalPrincipal", "POST", OF_USER, async (call) => {
      const [user, principal] = [param(call, 0), principalId(call)];
      const doing = `letting principal ${JSON.stringify(principal)} act as`;
      const warnings = await judgeActingAs(call, user, doing, escalation, holdings);
      await withFieldNames(QUERY_NAMES, externalPrincipals.create(user, principal));
      audit.wrote(call, "createUserExternalPrincipal", { user, principal });
      return created(warnings);
    }),
    permitted("deleteUserExternalPrincipal", "DELETE", OF_USER, async (call) => {
      const [user, principal] = [param(call, 0), principalId(call)];
      await externalPrincipals.delete(user, principal);
      audit.wrote(call, "deleteUserExternalPrincipal", { user, principal });
      return NO_CONTENT;
    }),
    permitted(
      "getExternalPrincipal",
      "GET",
      "/auth/external/principals",
      async (call) => json(200, principalBody(await externalPrincipals.get(principalId(call)))),
      { values: (call) => [["query.principalId", principalId(call)]] },
    ),
  ];
}
