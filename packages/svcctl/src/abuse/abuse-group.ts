/** `svcctl abuse`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { GroupSpec } from "../command.ts";
import { BRANCH, EXAMPLE } from "../uri/arguments.ts";
import { amount, PARALLELISM } from "./abuse-options.ts";

const SOURCE = { arguments: "<source-ref-uri>", argumentCount: [1, 1] } as const;
const MAIN = `${EXAMPLE}/main`;

const FROM_FILE: OptionSpec = {
  flags: "--from-file <file>",
  description: "file with a path a line, or - for standard input",
};
const prefix = (description: string): OptionSpec => ({
  flags: "--prefix <string>",
  description,
  default: "abuse/",
});

/** Load on a running data server. */
export const ABUSE_GROUP: GroupSpec = {
  name: "abuse",
  description: "Puts load on a running data server, and measures it (plumbing).",
  commands: [
    {
      ...BRANCH,
      name: "commit",
      description: "Commits to a branch repeatedly.",
      examples: [`${MAIN} --amount 10 --gap 1s`],
      options: [
        amount("commits", 100),
        { flags: "--gap <duration>", description: "time between commits", default: "2s" },
      ],
      load: async () => (await import("./abuse-refs.ts")).commitRepeatedly,
    },
    {
      ...SOURCE,
      name: "create-branches",
      description: "Deletes the branches of an earlier run, and creates many.",
      examples: [`${MAIN} --amount 1000`, `${MAIN} --clean-only`],
      options: [
        amount("branches"),
        {
          flags: "--branch-prefix <string>",
          description: "beginning of the names of the branches",
          default: "abuse-",
        },
        { flags: "--clean-only", description: "only delete the branches of an earlier run" },
        PARALLELISM,
      ],
      load: async () => (await import("./abuse-refs.ts")).createBranches,
    },
    {
      ...BRANCH,
      name: "link-same-object",
      description: "Links the same object many times at once.",
      examples: [`${MAIN} --amount 1000`],
      options: [
        amount("links"),
        { flags: "--key <string>", description: "path of the object", default: "linked-object" },
        PARALLELISM,
      ],
      load: async () => (await import("./abuse-objects.ts")).linkSameObject,
    },
    {
      ...SOURCE,
      name: "list",
      description: "Lists objects many times at once.",
      examples: [`${MAIN} --amount 1000`],
      options: [amount("lists"), PARALLELISM, prefix("prefix of the objects to list")],
      load: async () => (await import("./abuse-objects.ts")).listRepeatedly,
    },
    {
      ...BRANCH,
      name: "merge",
      description: "Merges objects that do not conflict into a branch, many at once.",
      examples: [`${MAIN} --amount 100 --parallelism 10`],
      options: [amount("merges", 1_000), PARALLELISM],
      load: async () => (await import("./abuse-merge.ts")).mergeRepeatedly,
    },
    {
      ...SOURCE,
      name: "random-delete",
      mustName: true,
      description: "Deletes paths of a file in random order.",
      examples: [`${MAIN} --from-file paths.txt --amount 1000`],
      options: [amount("deletions"), FROM_FILE, PARALLELISM],
      load: async () => (await import("./abuse-objects.ts")).deleteAtRandom,
    },
    {
      ...SOURCE,
      name: "random-read",
      description: "Reads the metadata of paths of a file in random order.",
      examples: [`${MAIN} --from-file paths.txt --amount 1000`],
      options: [amount("reads"), FROM_FILE, PARALLELISM],
      load: async () => (await import("./abuse-objects.ts")).readAtRandom,
    },
    {
      ...BRANCH,
      name: "random-write",
      description: "Links many objects below a prefix.",
      examples: [`${MAIN} --amount 1000`],
      options: [amount("writes"), PARALLELISM, prefix("prefix of the objects to write")],
      load: async () => (await import("./abuse-objects.ts")).writeMany,
    },
  ],
};
