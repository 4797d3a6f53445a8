/** `svcctl commit`, `log`, `show`, `diff`, `merge` and `cherry-pick`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandSpec, GroupSpec } from "../command.ts";
import { BRANCH, COMMIT, EXAMPLE } from "../uri/arguments.ts";
import { ALLOW_EMPTY_COMMIT, commitOptions, PARENT_NUMBER } from "./commit-options.ts";

const MAIN = `${EXAMPLE}/main`;
const DEV = `${EXAMPLE}/dev`;
const META_RANGE: OptionSpec = { flags: "--show-meta-range-id", description: "show the meta range id too" };

const LOG_OPTIONS: readonly OptionSpec[] = [
  { flags: "--amount <int>", description: "number of results (default: all)", kind: "integer" },
  { flags: "--after <string>", description: "show results after this value" },
  { flags: "--dot", description: "print a graph in the language of Graphviz" },
  { flags: "--first-parent", description: "follow only the first parent of merge commits" },
  { flags: "--limit", description: "do not look whether there are more results than the amount" },
  { flags: "--no-merges", description: "leave out merge commits" },
  {
    flags: "--objects <paths>",
    description: "commits that change one of these objects (repeatable, or with commas)",
    kind: "list",
  },
  {
    flags: "--prefixes <prefixes>",
    description: "commits that change objects below one of these prefixes (repeatable, or with commas)",
    kind: "list",
  },
  META_RANGE,
  {
    flags: "--since <date-time>",
    description: "commits since this time: RFC 3339, a date, or an age such as 2h",
  },
  { flags: "--stop-at <ref>", description: "stop at this reference, which is included" },
  JSON_OUTPUT,
];

const SHOW: GroupSpec = {
  name: "show",
  description: "Shows one thing of a repository in full.",
  commands: [
    {
      ...COMMIT,
      name: "commit",
      description: "Shows a commit.",
      examples: [MAIN],
      options: [META_RANGE, JSON_OUTPUT],
      load: async () => (await import("./show-commit.ts")).showCommit,
    },
  ],
};

/** Commands on commits. */
export const COMMIT_COMMANDS: readonly (CommandSpec | GroupSpec)[] = [
  {
    ...BRANCH,
    name: "commit",
    description: "Commits the changes of a branch.",
    examples: [`${MAIN} --message "Add data"`, `${MAIN} -m "Add data" --meta author=bob,ticket=17`],
    options: [
      ...commitOptions(false),
      ALLOW_EMPTY_COMMIT,
      {
        flags: "--epoch-time-seconds <int>",
        description: "date of the commit, in seconds since 1970 (default: now)",
        kind: "integer",
      },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./create-commit.ts")).createCommit,
  },
  {
    name: "log",
    description: "Shows the commits of a reference.",
    arguments: "<ref-uri>",
    argumentCount: [1, 1],
    examples: [MAIN, `${MAIN} --amount 10 --no-merges`, `${MAIN} --dot | dot -Tsvg > graph.svg`],
    options: LOG_OPTIONS,
    load: async () => (await import("./log.ts")).log,
  },
  SHOW,
  {
    name: "diff",
    description: "Shows uncommitted changes of a branch, or the changes between two references.",
    arguments: "<ref-uri> [ref-uri]",
    argumentCount: [1, 2],
    examples: [DEV, `${MAIN} ${DEV}`, `--two-way ${MAIN} ${DEV}`],
    options: [
      { flags: "--prefix <string>", description: "only changes below this prefix" },
      {
        flags: "--two-way",
        description: "compare the references themselves, not from their common ancestor",
      },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./diff.ts")).diff,
  },
  {
    name: "merge",
    description: "Merges a branch into another one.",
    arguments: "<source-ref> <destination-ref>",
    argumentCount: [2, 2],
    examples: [`${DEV} ${MAIN}`, `${DEV} ${MAIN} --strategy source-wins -m "Take dev"`],
    options: [
      ...commitOptions(true),
      {
        flags: "--strategy <string>",
        description: "whose changes win in a conflict: dest-wins or source-wins (default: a conflict fails)",
        values: ["dest-wins", "source-wins"],
      },
      { flags: "--force", description: "merge into a read-only branch, or one with the same content" },
      { flags: "--allow-empty", description: "merge although the branches have the same content" },
      { flags: "--squash", description: "record one commit without the source as a parent" },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./merge.ts")).merge,
  },
  {
    name: "cherry-pick",
    description: "Applies the changes of a commit to a branch as a new commit.",
    arguments: "<commit-uri> <branch-uri>",
    argumentCount: [2, 2],
    examples: [`${DEV} ${MAIN}`],
    options: [PARENT_NUMBER, JSON_OUTPUT],
    load: async () => (await import("./cherry-pick.ts")).cherryPick,
  },
];
