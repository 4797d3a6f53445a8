/** `svcctl repo`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { CommandSpec, GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY } from "../uri/arguments.ts";

const DEFAULT_BRANCH: OptionSpec = {
  flags: "-d, --default-branch <string>",
  description: "default branch of the repository",
  default: "main",
};
const CREATE = {
  arguments: "<repository-uri> <storage-namespace>",
  argumentCount: [2, 2],
  examples: [`${EXAMPLE} s3://example-bucket/example-repo`],
  options: [DEFAULT_BRANCH, JSON_OUTPUT],
} as const satisfies Partial<CommandSpec>;

/** Repositories of the data server. */
export const REPO_GROUP: GroupSpec = {
  name: "repo",
  description: "Manages repositories of a data server.",
  commands: [
    {
      name: "list",
      description: "Lists repositories.",
      examples: ["", "--prefix exa --all -o json"],
      options: PAGING,
      load: async () => (await import("./list-repositories.ts")).listRepositories,
    },
    {
      ...CREATE,
      options: [
        DEFAULT_BRANCH,
        { flags: "--sample-data", description: "begin with sample data" },
        JSON_OUTPUT,
      ],
      name: "create",
      description: "Creates a repository.",
      load: async () => (await import("./create-repository.ts")).createRepository,
    },
    {
      ...CREATE,
      name: "create-bare",
      description:
        "Creates a repository without a branch or a commit, to restore references into (plumbing).",
      load: async () => (await import("./create-repository.ts")).createBareRepository,
    },
    {
      ...REPOSITORY,
      name: "delete",
      mustName: true,
      description: "Deletes a repository.",
      examples: [EXAMPLE, `${EXAMPLE} --yes`],
      options: [JSON_OUTPUT],
      load: async () => (await import("./delete-repository.ts")).deleteRepository,
    },
  ],
};
