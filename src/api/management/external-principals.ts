/** External principals in the management API (permissions.md §12): served in every mode. */

import type { Reply } from "../../http/route.ts";
import { PRINCIPAL_ID } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, created, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { principalId } from "../rest/query-fields.ts";
import { principalBody } from "../rest/shapes.ts";
import type { UserCall } from "./call.ts";
import { actingAs, checkActingAs } from "./credentials.ts";
import {
  answerWith,
  answerWithPage,
  JOIN,
  LIST,
  type ManagementParts,
  READ,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/external/principals`;
const QUERY_NAMES = new Map([["/principalId", "principalId"]]);
const TAG = { tag: "external principals" } as const;
const EXAMPLE = { id: PRINCIPAL_ID.example, user_id: "alice" };

/** The operations. */
export const EXTERNAL_PRINCIPAL_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUserExternalPrincipals",
    path: `${OF_USER}/ls`,
    summary: "List the external principals of a user",
    description: "Identities of other systems that act as the user.",
    answer: answerWithPage("ExternalPrincipalList", EXAMPLE),
    errors: [400, 404],
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
    summary: "Let a principal act as a user",
    description: "A principal belongs to at most one user; the request has no body.",
    query: [PRINCIPAL_ID],
    errors: [400, 403, 404, 409],
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteUserExternalPrincipal",
    path: OF_USER,
    summary: "Take a principal from a user",
    description: "The principal no longer acts as the user.",
    query: [PRINCIPAL_ID],
    answer: { status: 204, description: "Done." },
    errors: [400, 404],
    handler: (parts) => (call) => remove(call, parts),
  },
  {
    ...READ,
    ...TAG,
    id: "getExternalPrincipal",
    path: `${BASE_PATH}/auth/external/principals`,
    summary: "Get the user of a principal",
    description: "Finds the user by the exact id of the principal.",
    query: [PRINCIPAL_ID],
    answer: answerWith(200, "ExternalPrincipal", EXAMPLE),
    errors: [400, 404],
    values: (call) => [["query.principalId", principalId(call)]],
    handler:
      ({ directory: { externalPrincipals } }) =>
      async (call) =>
        json(200, principalBody(await externalPrincipals.get(principalId(call)))),
  },
];

async function create(call: UserCall, { directory, audit, escalation }: ManagementParts): Promise<Reply> {
  const [user, principal] = [param(call, 0), principalId(call)];
  const doing = `letting principal ${JSON.stringify(principal)} act as`;
  const { warnings } = await checkActingAs(call, escalation, actingAs(user, doing), () =>
    withFieldNames(QUERY_NAMES, directory.externalPrincipals.create(user, principal)),
  );
  audit.wrote(call, "createUserExternalPrincipal", { user, principal });
  return created(warnings);
}

async function remove(call: UserCall, { directory, audit }: ManagementParts): Promise<Reply> {
  const [user, principal] = [param(call, 0), principalId(call)];
  await directory.externalPrincipals.delete(user, principal);
  audit.wrote(call, "deleteUserExternalPrincipal", { user, principal });
  return NO_CONTENT;
}
