/** External principals (authorization-api.md §7, operations 32 to 35): always served. */

import type { Directory, ExternalPrincipals } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { withFieldNames } from "../rest/body-fields.ts";
import { created, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { principalId } from "../rest/query-fields.ts";
import { principalBody } from "../rest/shapes.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import type { CallAudit } from "./write-audit.ts";

const OF_USER = "/auth/users/{userId}/external/principals";
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([["/principalId", "principalId"]]);

/** What the operations on external principals need. */
export interface ExternalPrincipalParts {
  readonly directory: Directory;
  readonly audit: CallAudit;
}

/** The operations. */
export function externalPrincipalOperations({
  directory,
  audit,
}: ExternalPrincipalParts): readonly Operation[] {
  const { externalPrincipals } = directory;
  const change =
    (operation: string, work: ExternalPrincipals["create"], reply: Reply) =>
    async (call: OperationCall): Promise<Reply> => {
      const [user, principal] = [param(call, 0), principalId(call)];
      await withFieldNames(QUERY_NAMES, work(user, principal));
      audit.wrote(call, operation, { user, principal });
      return reply;
    };
  return [
    readOperation("listUserExternalPrincipals", `${OF_USER}/ls`, (call) =>
      listReply(call, (page) => externalPrincipals.list(param(call, 0), page), principalBody),
    ),
    writeOperation(
      "createUserExternalPrincipal",
      "POST",
      OF_USER,
      change("createUserExternalPrincipal", externalPrincipals.create, created()),
    ),
    writeOperation(
      "deleteUserExternalPrincipal",
      "DELETE",
      OF_USER,
      change("deleteUserExternalPrincipal", externalPrincipals.delete, NO_CONTENT),
    ),
    readOperation("getExternalPrincipal", "/auth/external/principals", async (call) =>
      json(200, principalBody(await externalPrincipals.get(principalId(call)))),
    ),
  ];
}
