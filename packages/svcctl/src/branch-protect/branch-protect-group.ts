/** `svcctl branch-protect`, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY } from "../uri/arguments.ts";

const PATTERN = {
  arguments: "<repository-uri> <pattern>",
  argumentCount: [2, 2],
  examples: [`${EXAMPLE} 'stable-*'`],
  options: [JSON_OUTPUT],
} as const;

/** Rules that protect branches from changes other than merges. */
export const BRANCH_PROTECT_GROUP: GroupSpec = {
  name: "branch-protect",
  description:
    "Manages branch protection rules: a protected branch changes only by merges from other branches.",
  commands: [
    {
      ...PATTERN,
      name: "add",
      description: "Adds a rule for a pattern of branch names, in which * stands for any characters.",
      load: async () => (await import("./rules.ts")).addRule,
    },
    {
      ...PATTERN,
      name: "delete",
      mustName: true,
      description: "Deletes the rule of a pattern.",
      load: async () => (await import("./rules.ts")).deleteRule,
    },
    {
      ...REPOSITORY,
      name: "list",
      description: "Lists the rules of a repository.",
      examples: [EXAMPLE],
      options: [JSON_OUTPUT],
      load: async () => (await import("./rules.ts")).listRules,
    },
  ],
};
