/** `svcctl auth policies`, as data. */

import type { GroupSpec } from "../command-spec.ts";
import { JSON_OUTPUT, PAGING, POLICY_ID } from "./auth-options.ts";

/** Policies on the server; `svcctl policy` works on files. */
export const POLICIES_GROUP: GroupSpec = {
  name: "policies",
  description: "Manages policies.",
  commands: [
    {
      name: "list",
      description: "Lists policies.",
      options: PAGING,
      load: async () => (await import("./policies.ts")).listPolicies,
    },
    {
      name: "create",
      description: "Creates a policy.",
      options: [
        POLICY_ID,
        {
          flags: "--statement-document <path>",
          description: "JSON file with the statements, or - for standard input",
          required: true,
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./policies.ts")).createPolicy,
    },
    {
      name: "show",
      description: "Shows a policy.",
      options: [POLICY_ID, JSON_OUTPUT],
      load: async () => (await import("./policies.ts")).showPolicy,
    },
    {
      name: "delete",
      description: "Deletes a policy.",
      options: [POLICY_ID, JSON_OUTPUT],
      load: async () => (await import("./policies.ts")).deletePolicy,
    },
  ],
};
