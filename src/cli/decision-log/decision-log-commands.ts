/** `svc-authorizer decision-log verify`, as data. */

import { type GroupSpec, JSON_OPTION } from "../command.ts";

/** Commands on the files of a decision log, whether the service runs or not. */
export const DECISION_LOG_COMMANDS: GroupSpec = {
  name: "decision-log",
  description: "Verifies the files of the decision log.",
  page: "decision-log.md",
  commands: [
    {
      name: "verify",
      description:
        "Checks that no record was changed, removed or moved: exit code 1 and FILE:LINE if one was.",
      examples: [
        "--directory /var/lib/svc-authorizer/decision-log",
        "--directory /var/lib/svc-authorizer/decision-log --config authorizer.yaml",
      ],
      options: [
        { flags: "--directory <dir>", description: "folder of the log", required: true },
        {
          flags: "-c, --config <file>",
          description: "check the seals too, with auth.encrypt.secret_key of this file",
        },
        JSON_OPTION,
      ],
      load: async () => (await import("./verify-command.ts")).verify,
    },
  ],
};
