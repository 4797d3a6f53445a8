/** External principals and one-time tokens of the data-server API. */

import type { Paths } from "../openapi-types.ts";
import { getOne, getPage, join, remove, take } from "./authorization-forms.ts";

const TAG = "external principals";

/** `/auth/external`, principals below users, and `/auth/tokenid`. */
export const PRINCIPAL_PATHS: Paths = {
  "/api/v1/auth/tokenid/claim": {
    post: take(
      {
        id: "claimTokenId",
        tag: "tokens",
        summary: "Claim the id of a one-time token",
        description: "A second claim of the same id is 400.",
      },
      "ClaimTokenId",
      201,
      [],
    ),
  },
  "/api/v1/auth/users/{userId}/external/principals/ls": {
    get: getPage(
      {
        id: "listUserExternalPrincipals",
        tag: TAG,
        summary: "List the external principals of a user",
        parameters: ["UserId"],
      },
      "ExternalPrincipalList",
    ),
  },
  "/api/v1/auth/users/{userId}/external/principals": {
    post: join(
      {
        id: "createUserExternalPrincipal",
        tag: TAG,
        summary: "Let an external principal act as a user",
        description: "A principal belongs to at most one user; the request has no body.",
        parameters: ["UserId", "PrincipalId"],
      },
      [400, 404, 409],
    ),
    delete: remove(
      {
        id: "deleteUserExternalPrincipal",
        tag: TAG,
        summary: "Take an external principal from a user",
        parameters: ["UserId", "PrincipalId"],
      },
      [400, 404],
    ),
  },
  "/api/v1/auth/external/principals": {
    get: getOne(
      {
        id: "getExternalPrincipal",
        tag: TAG,
        summary: "Look up the user of an external principal",
        parameters: ["PrincipalId"],
      },
      "ExternalPrincipal",
      { errors: [400, 404] },
    ),
  },
};
