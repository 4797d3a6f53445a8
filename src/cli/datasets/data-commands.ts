/** `svc-authorizer load`, `sync` and `export`, as data. They open a local store themselves: for `load` and `sync` the service must be stopped. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { CONFIG_OPTIONS, type CommandSpec, FROM_COPY_OPTION, JSON_OPTION } from "../command.ts";
import { AT_OPTION } from "../log/history-commands.ts";

const LOAD_OPTIONS: readonly OptionSpec[] = [
  ...CONFIG_OPTIONS,
  { flags: "--dry-run", description: "only report what would change" },
  {
    flags: "--yes",
    description: "confirm a sync that removes more than half of the entities that it manages",
  },
  JSON_OPTION,
];

/** Examples of `load` and `sync`: first what would change, then the change. */
const LOAD_EXAMPLES = [
  "'datasets/*.yaml' --config authorizer.yaml --dry-run",
  "'datasets/*.yaml' --config authorizer.yaml",
];

/** Commands that read and write data sets. */
export const DATA_COMMANDS: readonly CommandSpec[] = [
  {
    name: "load",
    description: "Creates the entities of data sets that the store lacks (files or globs).",
    page: "datasets.md",
    examples: LOAD_EXAMPLES,
    arguments: "<files...>",
    options: [
      ...LOAD_OPTIONS,
      {
        flags: "--mode <mode>",
        description: "load, or sync: the same as the command sync",
        values: ["load", "sync"],
        closed: true,
        default: "load",
      },
    ],
    load: async () => (await import("./dataset-runs.ts")).load,
  },
  {
    name: "sync",
    description:
      "Makes the store equal to data sets; removes entities of an earlier sync that they no longer contain.",
    page: "datasets.md",
    examples: LOAD_EXAMPLES,
    arguments: "<files...>",
    options: LOAD_OPTIONS,
    load: async () => (await import("./dataset-runs.ts")).sync,
  },
  {
    name: "export",
    description: "Writes the directory as a data set that can be loaded again.",
    page: "datasets.md",
    examples: [
      "--config authorizer.yaml --output people.yaml",
      "--config authorizer.yaml --secrets --output backup.yaml",
      "--config authorizer.yaml --at 2026-11-22T08:00:00Z",
      "--config authorizer.yaml --from-copy /var/lib/svc-authorizer/copy",
    ],
    options: [
      ...CONFIG_OPTIONS,
      {
        flags: "--format <format>",
        description: "format of the data set: yaml or json",
        values: ["yaml", "json"],
        closed: true,
        default: "yaml",
      },
      AT_OPTION,
      FROM_COPY_OPTION,
      { flags: "--secrets", description: "include the secrets of access keys in clear text" },
      {
        flags: "-o, --output <file>",
        description: "write to this file (mode 600) instead of standard output",
      },
    ],
    load: async () => (await import("./dataset-runs.ts")).exportData,
  },
];
