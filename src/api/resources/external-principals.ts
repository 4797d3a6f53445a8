/**
 * External principals (spec/authorization-api §7, operations 32 to 35; spec/permissions §12): served in every mode.
 */

import { PRINCIPAL_ID } from "../rest/declared.ts";
import { one, page } from "../rest/examples.ts";
import { withFieldNames } from "../rest/field-names.ts";
import type { RestCall } from "../rest/grants.ts";
import { created, json, NO_CONTENT, param } from "../rest/operation.ts";
import { JOIN, LIST, READ, REMOVE } from "../rest/operation-kinds.ts";
import { listReply } from "../rest/pages.ts";
import { principalId } from "../rest/query-fields.ts";
import { principalBody } from "../rest/shapes.ts";
import { warningHeaders } from "../rest/warning-headers.ts";
import { checkActingAs } from "./acting-as.ts";
import type { ResourceOperation } from "./operation.ts";

const OF_USER = "/auth/users/{userId}/external/principals";
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([["/principalId", "principalId"]]);
const TAG = { tag: "external principals", query: [PRINCIPAL_ID] } as const;
const NAMES = { names: (call: RestCall) => ({ principal: principalId(call) }) };

/** The operations. */
export const EXTERNAL_PRINCIPAL_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...TAG,
    ...LIST,
    id: "listUserExternalPrincipals",
    path: `${OF_USER}/ls`,
    summary: "List the external principals of a user",
    description: "Identities of other systems that act as the user.",
    answer: page("ExternalPrincipalList", "ExternalPrincipal"),
    handler:
      ({ directory: { externalPrincipals } }) =>
      (call) =>
        listReply(call, (asked) => externalPrincipals.list(param(call, 0), asked), principalBody),
  },
  {
    ...JOIN,
    ...TAG,
    ...NAMES,
    method: "POST",
    id: "createUserExternalPrincipal",
    path: OF_USER,
    summary: "Let an external principal act as a user",
    description: "A principal belongs to at most one user; the request has no body.",
    errors: [400, 404, 409],
    compared: true,
    management: { summary: "Let a principal act as a user" },
    handler: (parts) => async (call) => {
      const [user, principal] = [param(call, 0), principalId(call)];
      const doing = `letting principal ${JSON.stringify(principal)} act as`;
      const { warnings } = await checkActingAs(call, { user, doing }, parts.escalation, () =>
        withFieldNames(QUERY_NAMES, parts.directory.externalPrincipals.create(user, principal)),
      );
      parts.audit.wrote(call, "createUserExternalPrincipal", { user, principal });
      return created([...warnings, ...sessionWarning(principal)]);
    },
  },
  {
    ...REMOVE,
    ...TAG,
    ...NAMES,
    id: "deleteUserExternalPrincipal",
    path: OF_USER,
    summary: "Take an external principal from a user",
    description: "The principal no longer acts as the user.",
    errors: [400, 404],
    management: { summary: "Take a principal from a user" },
    handler:
      ({ directory, audit }) =>
      async (call) => {
        const [user, principal] = [param(call, 0), principalId(call)];
        await withFieldNames(QUERY_NAMES, directory.externalPrincipals.delete(user, principal));
        audit.wrote(call, "deleteUserExternalPrincipal", { user, principal });
        return NO_CONTENT;
      },
  },
  {
    ...READ,
    ...TAG,
    id: "getExternalPrincipal",
    path: "/auth/external/principals",
    summary: "Look up the user of an external principal",
    description: "Finds the user by the exact id of the principal.",
    answer: one(200, "ExternalPrincipal"),
    errors: [400, 404],
    management: {
      summary: "Get the user of a principal",
      values: (call) => [["query.principalId", principalId(call)]],
    },
    handler:
      ({ directory: { externalPrincipals } }) =>
      async (call) =>
        json(200, principalBody(await externalPrincipals.get(principalId(call)))),
  },
];

/** Whoever assumes a role of AWS chooses the name of the session, so that it says nothing about who that is. */
function sessionWarning(principal: string): readonly string[] {
  if (!/^arn:[^:]+:sts::\d+:assumed-role\/[^/]+\/./.test(principal)) return [];
  const message =
    "everybody who may assume the role can choose this session's name; attach the role without a session";
  return warningHeaders([{ pointer: "/principalId", message }]);
}
