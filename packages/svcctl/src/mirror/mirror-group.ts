/** `svcctl mirror`, as data. */

import { JSON_OUTPUT, PAGING, SEARCH } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

const SOURCE = { arguments: "<repository> <mirror>", argumentCount: [2, 2] } as const;
const EXAMPLE = "sales sales-west";

/** Mirrors of repositories. */
export const MIRROR_GROUP: GroupSpec = {
  name: "mirror",
  description: "Manages mirrors of repositories in other regions.",
  page: "mirroring.md",
  commands: [
    {
      name: "list",
      arguments: "[repository]",
      argumentCount: [0, 1],
      description: "Lists the mirrors of a repository, or all mirrors.",
      examples: ["sales", "--all -o json"],
      options: [...PAGING, SEARCH],
      load: async () => (await import("./mirror-commands.ts")).listMirrors,
    },
    {
      ...SOURCE,
      name: "show",
      description: "Shows the state of a mirror, its progress and its branches.",
      examples: [EXAMPLE, `${EXAMPLE} --json`],
      options: [JSON_OUTPUT],
      load: async () => (await import("./mirror-commands.ts")).showMirror,
    },
    {
      ...SOURCE,
      name: "create",
      description: "Creates a mirror, which is then filled in the background.",
      examples: [`${EXAMPLE} --region west --storage-namespace s3://sales-west/data`],
      options: [
        { flags: "--region <string>", description: "region of the mirror", required: true },
        {
          flags: "--storage-namespace <uri>",
          description: "where the object store replicates the repository's namespace to",
          required: true,
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./mirror-commands.ts")).createMirror,
    },
    {
      ...SOURCE,
      name: "branches",
      description: "Chooses the branches of a mirror; without an option, all of them.",
      examples: [`${EXAMPLE} --include main,release-* --exclude *-draft`, EXAMPLE],
      options: [
        { flags: "--include <patterns>", description: "patterns of branches, with commas between them" },
        { flags: "--exclude <patterns>", description: "patterns that win over --include" },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./mirror-commands.ts")).chooseBranches,
    },
    {
      ...SOURCE,
      name: "delete",
      mustName: true,
      description: "Deletes a mirror; its data in the object store stays.",
      examples: [EXAMPLE, `${EXAMPLE} --forget --yes`],
      options: [
        { flags: "--forget", description: "remove the record alone, for a region that is lost" },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./mirror-commands.ts")).deleteMirror,
    },
  ],
};
