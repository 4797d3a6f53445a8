/** Credentials of the data-server API. */

import type { Operation, Parameter, Paths } from "../openapi-types.ts";
import { jsonAnswer, operation, parameterRef } from "../operation.ts";
import { getOne, getPage, NO_STORE, remove } from "./authorization-forms.ts";

const TAG = "credentials";

function imported(name: string, what: string): Parameter {
  return {
    name,
    in: "query",
    description: `${what} to import; both or none are given. None: both are generated.`,
    schema: { type: "string" },
  };
}

function createCredentials(): Operation {
  return operation({
    id: "createCredentials",
    tag: TAG,
    summary: "Create or import credentials",
    description: "The request has no body. Access key ids are unique over all users.",
    parameters: [
      parameterRef("UserId"),
      imported("access_key", "Access key id"),
      imported("secret_key", "Secret"),
    ],
    scope: "write",
    status: 201,
    answer: jsonAnswer("The credentials with their secret.", "CredentialsWithSecret", { headers: NO_STORE }),
    errors: [400, 404, 409],
  });
}

/** Credentials below users, and `/auth/credentials`. */
export const CREDENTIAL_PATHS: Paths = {
  "/api/v1/auth/users/{userId}/credentials": {
    get: getPage(
      {
        id: "listUserCredentials",
        tag: TAG,
        summary: "List the credentials of a user, without secrets",
        parameters: ["UserId"],
      },
      "CredentialsList",
    ),
    post: createCredentials(),
  },
  "/api/v1/auth/users/{userId}/credentials/{accessKeyId}": {
    get: getOne(
      {
        id: "getCredentialsForUser",
        tag: TAG,
        summary: "Get credentials of a user, without the secret",
        parameters: ["UserId", "AccessKeyId"],
      },
      "Credentials",
    ),
    delete: remove({
      id: "deleteCredentials",
      tag: TAG,
      summary: "Delete credentials",
      parameters: ["UserId", "AccessKeyId"],
    }),
  },
  "/api/v1/auth/credentials/{accessKeyId}": {
    get: getOne(
      {
        id: "getCredentials",
        tag: TAG,
        summary: "Get credentials with their secret",
        parameters: ["AccessKeyId"],
      },
      "CredentialsWithSecret",
      { scope: "secrets", headers: NO_STORE },
    ),
  },
};
