/** Commands for internal use, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandSpec, GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY } from "../uri/arguments.ts";
import { POLLING } from "./polling-options.ts";

/** The commands. */
export const PLUMBING_COMMANDS: readonly (CommandSpec | GroupSpec)[] = [
  {
    name: "cat-hook-output",
    description: "Prints what a hook wrote in a run (plumbing).",
    arguments: "<repository-uri> <run-id> <hook-id>",
    argumentCount: [3, 3],
    examples: [`${EXAMPLE} 20260105090000123456 20260105090000123457`],
    options: [JSON_OUTPUT],
    load: async () => (await import("../actions/hook-output.ts")).catHookOutput,
  },
  {
    name: "cat-sst",
    description: "Shows the entries of a file in which a data server keeps commits (plumbing).",
    arguments: "[sst-file]",
    argumentCount: [0, 1],
    examples: ["metarange.sst", "--file - --amount 10 < range.sst"],
    options: [
      {
        flags: "--amount <int>",
        description: "entries to show, or -1 for all",
        kind: "integer",
        default: -1,
      },
      { flags: "-f, --file <file>", description: "the file, or - for standard input" },
    ],
    load: async () => (await import("../sst/cat-sst.ts")).catSst,
  },
  {
    name: "find-merge-base",
    description: "Finds the commit that a merge would begin from (plumbing).",
    arguments: "<source-ref-uri> <destination-ref-uri>",
    argumentCount: [2, 2],
    examples: [`${EXAMPLE}/dev ${EXAMPLE}/main`],
    options: [JSON_OUTPUT],
    load: async () => (await import("./find-merge-base.ts")).findMergeBase,
  },
  {
    ...REPOSITORY,
    name: "refs-dump",
    description: "Dumps branches, tags and commits into the storage of a repository (plumbing).",
    examples: [`${EXAMPLE} --output refs.json`],
    options: [
      { flags: "-o, --output <file>", description: "file for the manifest (default: standard output)" },
      ...POLLING,
    ],
    load: async () => (await import("./refs-dump.ts")).refsDump,
  },
  {
    ...REPOSITORY,
    name: "refs-restore",
    mustName: true,
    description: "Restores branches, tags and commits of a manifest into a bare repository (plumbing).",
    helpLines: () => [
      "The repository is one made with `svcctl repo create-bare`. After a transient failure, delete it, create it bare",
      "again, and retry.",
    ],
    examples: [`${EXAMPLE} --manifest refs.json`],
    options: [
      {
        flags: "--manifest <string>",
        description: "file with a manifest of refs-dump, or - for standard input",
        required: true,
      },
      ...POLLING,
      JSON_OUTPUT,
    ],
    load: async () => (await import("./refs-restore.ts")).refsRestore,
  },
  {
    name: "usage",
    description: "Shows reports of the usage of a data server (plumbing).",
    commands: [
      {
        name: "summary",
        description: "Shows the usage by months.",
        examples: [""],
        options: [JSON_OUTPUT],
        load: async () => (await import("./usage-summary.ts")).usageSummary,
      },
    ],
  },
];
