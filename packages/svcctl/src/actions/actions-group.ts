/** `svcctl actions`, as data. */

import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY } from "../uri/arguments.ts";

/** Hooks of a repository, and their runs. */
export const ACTIONS_GROUP: GroupSpec = {
  name: "actions",
  description: "Shows runs of the hooks of a repository, and checks action files.",
  commands: [
    {
      name: "runs",
      description: "Shows runs of hooks.",
      commands: [
        {
          name: "describe",
          description: "Shows a run, and all hooks that were executed in it with their output.",
          arguments: "<repository-uri> <run-id>",
          argumentCount: [2, 2],
          examples: [`${EXAMPLE} 20260105090000123456`],
          options: [
            { flags: "--amount <int>", description: "number of results (default: all)", kind: "integer" },
            { flags: "--after <string>", description: "show results after this value" },
            JSON_OUTPUT,
          ],
          load: async () => (await import("./describe-run.ts")).describeRun,
        },
        {
          ...REPOSITORY,
          name: "list",
          description: "Lists runs, of a branch or a commit where one is given.",
          examples: [EXAMPLE, `${EXAMPLE} --branch main --amount 20`],
          options: [
            { flags: "--branch <string>", description: "runs on this branch" },
            { flags: "--commit <string>", description: "runs for this commit id" },
            ...PAGING.filter(({ flags }) => !flags.startsWith("--prefix")),
          ],
          load: async () => (await import("./list-runs.ts")).listRuns,
        },
      ],
    },
    {
      name: "validate",
      description: "Checks that a file is a valid action file.",
      arguments: "<file>",
      argumentCount: [1, 1],
      examples: ["path/to/action.yaml"],
      options: [JSON_OUTPUT],
      load: async () => (await import("./validate.ts")).validate,
    },
  ],
};
