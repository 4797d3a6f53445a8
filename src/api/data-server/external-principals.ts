/** External principals (authorization-api.md §7, operations 32 to 35): always served. */

import type { ExternalPrincipals } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { PRINCIPAL_ID } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, created, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { principalId } from "../rest/query-fields.ts";
import { principalBody } from "../rest/shapes.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWith,
  answerWithPage,
  type DataServerDeclaration,
  type DataServerParts,
  JOIN,
  LIST,
  READ,
  REMOVE,
} from "./declaration.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/external/principals`;
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([["/principalId", "principalId"]]);
const TAG = { tag: "external principals" } as const;
const EXAMPLE = { id: PRINCIPAL_ID.example, user_id: "alice" };

/** The operations. */
export const EXTERNAL_PRINCIPAL_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUserExternalPrincipals",
    path: `${OF_USER}/ls`,
    summary: "List the external principals of a user",
    description: "Identities of other systems that act as the user.",
    answer: answerWithPage("ExternalPrincipalList", EXAMPLE),
    handler:
      ({ directory: { externalPrincipals } }) =>
      (call) =>
        listReply(call, (page) => externalPrincipals.list(param(call, 0), page), principalBody),
  },
  {
    ...JOIN,
    ...TAG,
    method: "POST",
    id: "createUserExternalPrincipal",
    path: OF_USER,
    summary: "Let an external principal act as a user",
    description: "A principal belongs to at most one user; the request has no body.",
    query: [PRINCIPAL_ID],
    errors: [400, 404, 409],
    handler: change("createUserExternalPrincipal", (principals) => principals.create, created()),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteUserExternalPrincipal",
    path: OF_USER,
    summary: "Take an external principal from a user",
    description: "The principal no longer acts as the user.",
    query: [PRINCIPAL_ID],
    errors: [400, 404],
    handler: change("deleteUserExternalPrincipal", (principals) => principals.delete, NO_CONTENT),
  },
  {
    ...READ,
    ...TAG,
    id: "getExternalPrincipal",
    path: `${BASE_PATH}/auth/external/principals`,
    summary: "Look up the user of an external principal",
    description: "Finds the user by the exact id of the principal.",
    query: [PRINCIPAL_ID],
    answer: answerWith(200, "ExternalPrincipal", EXAMPLE),
    errors: [400, 404],
    handler:
      ({ directory: { externalPrincipals } }) =>
      async (call) =>
        json(200, principalBody(await externalPrincipals.get(principalId(call)))),
  },
];

function change(
  operation: string,
  workOf: (principals: ExternalPrincipals) => ExternalPrincipals["create"],
  reply: Reply,
) {
  return ({ directory: { externalPrincipals }, audit }: DataServerParts) => {
    const work = workOf(externalPrincipals);
    return async (call: ServiceCall): Promise<Reply> => {
      const [user, principal] = [param(call, 0), principalId(call)];
      await withFieldNames(QUERY_NAMES, work(user, principal));
      audit.wrote(call, operation, { user, principal });
      return reply;
    };
  };
}
