/** `svcctl local`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { commitOptions } from "../commits/commit-options.ts";
import { TRANSFER } from "../transfer/transfer-options.ts";
import { EXAMPLE } from "../uri/arguments.ts";

const PATH = `${EXAMPLE}/main/data/`;
const FOLDER = { arguments: "[directory]", argumentCount: [0, 1] } as const;
const PATH_AND_FOLDER = { arguments: "<path-uri> [directory]", argumentCount: [1, 2] } as const;

const GITIGNORE: readonly OptionSpec[] = [
  { flags: "--gitignore", description: "keep the directory out of git with .gitignore", default: true },
  { flags: "--no-gitignore", description: "", hidden: true },
];
const force = (description: string): OptionSpec => ({ flags: "--force", description });

/** Local directories that are kept the same as paths of a repository. */
export const LOCAL_GROUP: GroupSpec = {
  name: "local",
  description: "Synchronizes local directories with paths of a repository.",
  commands: [
    {
      ...PATH_AND_FOLDER,
      name: "init",
      description: "Links a directory with a path of a repository.",
      examples: [`${PATH} data`],
      options: [force("overwrite the link of a directory that has one"), ...GITIGNORE, JSON_OUTPUT],
      load: async () => (await import("./link-folder.ts")).initFolder,
    },
    {
      ...PATH_AND_FOLDER,
      name: "clone",
      description: "Downloads a path of a repository into a new directory, and links it.",
      examples: [`${PATH} data`],
      options: [...GITIGNORE, ...TRANSFER],
      load: async () => (await import("./clone.ts")).cloneFolder,
    },
    {
      ...FOLDER,
      name: "checkout",
      description: "Makes a directory the same as its commit, or as another reference.",
      examples: ["data", `data --ref ${EXAMPLE}/dev`, "--all --yes"],
      options: [
        { flags: "--all", description: "all linked directories" },
        { flags: "-r, --ref <string>", description: "reference to check out" },
        ...TRANSFER,
      ],
      load: async () => (await import("./checkout.ts")).checkout,
    },
    {
      ...FOLDER,
      name: "commit",
      description:
        "Uploads the changes of a directory to the branch that it is linked with, and commits them.",
      examples: ['data --message "Add data"'],
      options: [
        ...commitOptions(false),
        force("commit although the branch has uncommitted changes outside of the linked path"),
        ...TRANSFER,
      ],
      load: async () => (await import("./commit.ts")).commitFolder,
    },
    {
      ...FOLDER,
      name: "list",
      description: "Finds and lists linked directories.",
      examples: ["", "~/work"],
      options: [JSON_OUTPUT],
      load: async () => (await import("./find-linked-folders.ts")).listFolders,
    },
    {
      ...FOLDER,
      name: "pull",
      description: "Fetches what changed in the repository.",
      examples: ["data", "data --force"],
      options: [force("take back uncommitted changes of the directory"), ...TRANSFER],
      load: async () => (await import("./pull.ts")).pull,
    },
    {
      ...FOLDER,
      name: "status",
      description: "Shows what changed in a directory and in the path that it is linked with.",
      examples: ["data", "data --local"],
      options: [{ flags: "-l, --local", description: "do not compare with the repository" }],
      load: async () => (await import("./status.ts")).status,
    },
  ],
};
