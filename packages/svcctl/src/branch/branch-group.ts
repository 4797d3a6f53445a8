/** `svcctl branch`, as data. */

import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { ALLOW_EMPTY_COMMIT, PARENT_NUMBER } from "../commits/commit-options.ts";
import { BRANCH, EXAMPLE, REPOSITORY } from "../uri/arguments.ts";

const MAIN = `${EXAMPLE}/main`;

/** Branches of a repository. */
export const BRANCH_GROUP: GroupSpec = {
  name: "branch",
  description: "Manages branches of a repository.",
  commands: [
    {
      ...REPOSITORY,
      name: "list",
      description: "Lists the branches of a repository.",
      examples: [EXAMPLE, `${EXAMPLE} --prefix dev --amount 20`],
      options: PAGING,
      load: async () => (await import("./list-branches.ts")).listBranches,
    },
    {
      ...BRANCH,
      name: "create",
      description: "Creates a branch.",
      examples: [`${EXAMPLE}/new-branch --source ${MAIN}`],
      options: [
        { flags: "-s, --source <uri>", description: "URI of the source branch", required: true },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./create-branch.ts")).createBranch,
    },
    {
      ...BRANCH,
      name: "delete",
      mustName: true,
      description: "Deletes a branch with its uncommitted changes.",
      examples: [`${EXAMPLE}/old-branch`],
      options: [JSON_OUTPUT],
      load: async () => (await import("./delete-branch.ts")).deleteBranch,
    },
    {
      ...BRANCH,
      name: "reset",
      mustName: true,
      description: "Resets uncommitted changes: all of them, those below a prefix, or that of one object.",
      examples: [MAIN, `${MAIN} --prefix data/ --yes`, `${MAIN} --object data/a.csv`],
      options: [
        { flags: "--prefix <string>", description: "prefix of the objects to be reset" },
        { flags: "--object <string>", description: "path of the object to be reset" },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./reset-branch.ts")).resetBranch,
    },
    {
      name: "revert",
      mustName: true,
      description: "Reverts commits from left to right; each one records a new commit.",
      arguments: "<branch-uri> <commit-refs...>",
      argumentCount: [2, Number.POSITIVE_INFINITY],
      examples: [`${MAIN} main~1 --yes`],
      options: [ALLOW_EMPTY_COMMIT, PARENT_NUMBER, JSON_OUTPUT],
      load: async () => (await import("./revert-branch.ts")).revertBranch,
    },
    {
      ...BRANCH,
      name: "show",
      description: "Shows the latest commit of a branch.",
      examples: [MAIN],
      options: [JSON_OUTPUT],
      load: async () => (await import("./show-branch.ts")).showBranch,
    },
  ],
};
