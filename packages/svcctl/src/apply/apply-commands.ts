/** `svcctl apply` and `svcctl plan`, as data (docs/policy-as-code.md). */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandSpec } from "../command.ts";
import { PARTITION } from "../policy/template-options.ts";

const PAGE = "policy-as-code.md";

/** Options of both commands. */
const COMMON: readonly OptionSpec[] = [
  {
    flags: "-f, --filename <path>",
    description:
      "data set: a file, a glob, - for standard input, or a folder with .yaml, .yml and .json files (repeatable)",
    kind: "repeated",
    required: true,
  },
  {
    flags: "--manager <name>",
    description: "name under which what the files said is kept, one for each set of files",
    default: "svcctl",
  },
  {
    flags: "--prune",
    description: "remove users, groups and policies that the files named before and no longer name",
  },
  {
    flags: "--git <revision>",
    description: "read the files from this commit, branch or tag of the git repository",
  },
  PARTITION,
  { flags: "--json", description: "print JSON" },
];

/** The commands. */
export const APPLY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "apply",
    page: PAGE,
    description:
      "Makes users, groups and policies what files say, in one commit, after showing the difference.",
    examples: [
      "-f access",
      "-f access --prune --dry-run",
      "-f access --git v1.4.0 --manager team-a",
      "-f access --watch",
    ],
    options: [
      ...COMMON,
      { flags: "--dry-run", description: "show the difference, change nothing" },
      { flags: "--watch", description: "apply again whenever a file changes" },
    ],
    load: async () => (await import("./apply.ts")).apply,
  },
  {
    name: "plan",
    page: PAGE,
    description:
      "Shows what `svcctl apply` would change: exit code 0 for nothing, 2 for changes, 4 where not all access that changes is shown, 1 for errors.",
    examples: ["-f access", "-f access --prune --markdown", "-f access --git main -o json"],
    options: [...COMMON, { flags: "--markdown", description: "print a table for a review" }],
    load: async () => (await import("./apply.ts")).plan,
  },
];
