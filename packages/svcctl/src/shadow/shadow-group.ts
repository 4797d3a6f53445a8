/** `svcctl shadow`, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

/** The comparison with a shadow candidate. */
export const SHADOW_GROUP: GroupSpec = {
  name: "shadow",
  description: "Shows what the candidate of authorizer.shadow would change.",
  page: "decision-log.md",
  commands: [
    {
      name: "report",
      description:
        "Prints the decisions that the candidate changes, by the statement that changes them, since it was loaded.",
      examples: ["", "--examples 10", "--json"],
      options: [
        {
          flags: "--examples <int>",
          description: "largest number of examples of a change",
          kind: "integer",
          default: 3,
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./report-command.ts")).report,
    },
  ],
};
