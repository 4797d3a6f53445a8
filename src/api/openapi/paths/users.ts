/** Users of the data-server API. */

import type { Parameter, Paths } from "../openapi-types.ts";
import {
  create,
  getOne,
  getPage,
  join,
  MAYBE_NO_STORE,
  NO_STORE,
  remove,
  take,
} from "./authorization-forms.ts";

const TAG = "users";

function exactly(name: string, what: string): Parameter {
  return {
    name,
    in: "query",
    description: `Only the user with exactly this ${what}; an empty one matches nobody.`,
    schema: { type: "string" },
  };
}

const NUMBER: Parameter = {
  name: "id",
  in: "query",
  description: "Users have no numbers: given, nobody is found.",
  schema: { type: "integer" },
};

const EFFECTIVE: Parameter = {
  name: "effective",
  in: "query",
  description:
    "Policies of the user and of all its groups, distinct by name; by default in a form that a data server can evaluate.",
  schema: { type: "boolean", default: false },
};

/** `/auth/users` without credentials and external principals. */
export const USER_PATHS: Paths = {
  "/api/v1/auth/users": {
    get: getPage({ id: "listUsers", tag: TAG, summary: "List or look up users" }, "UserList", {
      further: [NUMBER, exactly("email", "e-mail address"), exactly("external_id", "external id")],
      headers: NO_STORE,
      errors: [400],
    }),
    post: create(
      {
        id: "createUser",
        tag: TAG,
        summary: "Create a user",
        description: "With `invite: true` an invitation is sent to the e-mail address.",
      },
      "UserCreation",
      "User",
      MAYBE_NO_STORE,
    ),
  },
  "/api/v1/auth/users/{userId}": {
    get: getOne({ id: "getUser", tag: TAG, summary: "Get a user", parameters: ["UserId"] }, "User", {
      headers: MAYBE_NO_STORE,
    }),
    delete: remove({
      id: "deleteUser",
      tag: TAG,
      summary: "Delete a user",
      description: "Its credentials, memberships, attachments and external principals go with it.",
      parameters: ["UserId"],
    }),
  },
  "/api/v1/auth/users/{userId}/password": {
    put: take(
      { id: "updatePassword", tag: TAG, summary: "Set the encrypted password", parameters: ["UserId"] },
      "PasswordUpdate",
      200,
      [404],
    ),
  },
  "/api/v1/auth/users/{userId}/friendly_name": {
    put: take(
      { id: "updateUserFriendlyName", tag: TAG, summary: "Set the friendly name", parameters: ["UserId"] },
      "FriendlyNameUpdate",
      204,
      [404],
    ),
  },
  "/api/v1/auth/users/{userId}/groups": {
    get: getPage(
      { id: "listUserGroups", tag: TAG, summary: "List the groups of a user", parameters: ["UserId"] },
      "GroupList",
    ),
  },
  "/api/v1/auth/users/{userId}/policies": {
    get: getPage(
      { id: "listUserPolicies", tag: TAG, summary: "List the policies of a user", parameters: ["UserId"] },
      "PolicyList",
      { further: [EFFECTIVE] },
    ),
  },
  "/api/v1/auth/users/{userId}/policies/{policyId}": {
    put: join({
      id: "attachPolicyToUser",
      tag: TAG,
      summary: "Attach a policy to a user",
      parameters: ["UserId", "PolicyId"],
    }),
    delete: remove({
      id: "detachPolicyFromUser",
      tag: TAG,
      summary: "Detach a policy from a user",
      parameters: ["UserId", "PolicyId"],
    }),
  },
};
