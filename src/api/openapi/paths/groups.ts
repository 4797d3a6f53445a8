/** Groups of the data-server API. */

import type { Paths } from "../openapi-types.ts";
import { create, getOne, getPage, join, NO_STORE, remove } from "./authorization-forms.ts";

const TAG = "groups";

/** `/auth/groups`. */
export const GROUP_PATHS: Paths = {
  "/api/v1/auth/groups": {
    get: getPage({ id: "listGroups", tag: TAG, summary: "List groups" }, "GroupList", { errors: [400] }),
    post: create({ id: "createGroup", tag: TAG, summary: "Create a group" }, "GroupCreation", "Group"),
  },
  "/api/v1/auth/groups/{groupId}": {
    get: getOne({ id: "getGroup", tag: TAG, summary: "Get a group", parameters: ["GroupId"] }, "Group"),
    delete: remove({ id: "deleteGroup", tag: TAG, summary: "Delete a group", parameters: ["GroupId"] }),
  },
  "/api/v1/auth/groups/{groupId}/members": {
    get: getPage(
      { id: "listGroupMembers", tag: TAG, summary: "List the members of a group", parameters: ["GroupId"] },
      "UserList",
      { headers: NO_STORE },
    ),
  },
  "/api/v1/auth/groups/{groupId}/members/{userId}": {
    put: join({
      id: "addGroupMembership",
      tag: TAG,
      summary: "Add a user to a group",
      parameters: ["GroupId", "UserId"],
    }),
    delete: remove({
      id: "deleteGroupMembership",
      tag: TAG,
      summary: "Remove a user from a group",
      parameters: ["GroupId", "UserId"],
    }),
  },
  "/api/v1/auth/groups/{groupId}/policies": {
    get: getPage(
      { id: "listGroupPolicies", tag: TAG, summary: "List the policies of a group", parameters: ["GroupId"] },
      "PolicyList",
    ),
  },
  "/api/v1/auth/groups/{groupId}/policies/{policyId}": {
    put: join({
      id: "attachPolicyToGroup",
      tag: TAG,
      summary: "Attach a policy to a group",
      parameters: ["GroupId", "PolicyId"],
    }),
    delete: remove({
      id: "detachPolicyFromGroup",
      tag: TAG,
      summary: "Detach a policy from a group",
      parameters: ["GroupId", "PolicyId"],
    }),
  },
};
