/** Policies of the data-server API. */

import type { Paths } from "../openapi-types.ts";
import { create, getOne, getPage, remove, replace, WARNING } from "./authorization-forms.ts";

const TAG = "policies";

/** `/auth/policies`. */
export const POLICY_PATHS: Paths = {
  "/api/v1/auth/policies": {
    get: getPage({ id: "listPolicies", tag: TAG, summary: "List policies" }, "PolicyList", { errors: [400] }),
    post: create(
      { id: "createPolicy", tag: TAG, summary: "Create a policy" },
      "PolicyCreation",
      "Policy",
      WARNING,
    ),
  },
  "/api/v1/auth/policies/{policyId}": {
    get: getOne({ id: "getPolicy", tag: TAG, summary: "Get a policy", parameters: ["PolicyId"] }, "Policy"),
    put: replace(
      {
        id: "updatePolicy",
        tag: TAG,
        summary: "Replace a policy",
        description: "The path names the policy.",
        parameters: ["PolicyId"],
      },
      "PolicyUpdate",
      "Policy",
    ),
    delete: remove({ id: "deletePolicy", tag: TAG, summary: "Delete a policy", parameters: ["PolicyId"] }),
  },
};
