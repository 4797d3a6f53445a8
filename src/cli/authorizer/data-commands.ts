/** `svc-authorizer load`, `sync` and `export`, as data. They open the store themselves, so the service must be stopped. */

import type { OptionSpec } from "../command-spec.ts";
import { CONFIG_OPTIONS, type CommandSpec, JSON_OPTION } from "./command.ts";

const LOAD_OPTIONS: readonly OptionSpec[] = [
  ...CONFIG_OPTIONS,
  { flags: "--dry-run", description: "only say what would change" },
  { flags: "--yes", description: "confirm a sync that removes more than half of what it manages" },
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
    description: "create what data sets name and the store lacks (files or globs)",
    page: "datasets.md",
    examples: LOAD_EXAMPLES,
    arguments: "<files...>",
    options: [
      ...LOAD_OPTIONS,
      {
        flags: "--mode <mode>",
        description: "load, or sync as the command of that name",
        values: ["load", "sync"],
        closed: true,
        default: "load",
      },
    ],
    load: async () => (await import("./dataset-runs.ts")).load,
  },
  {
    name: "sync",
    description: "make the store equal to data sets, removing what a former sync made",
    page: "datasets.md",
    examples: LOAD_EXAMPLES,
    arguments: "<files...>",
    options: LOAD_OPTIONS,
    load: async () => (await import("./dataset-runs.ts")).sync,
  },
  {
    name: "export",
    description: "write the directory as a data set that loads back",
    page: "datasets.md",
    examples: [
      "--config authorizer.yaml --output people.yaml",
      "--config authorizer.yaml --secrets --output backup.yaml",
    ],
    options: [
      ...CONFIG_OPTIONS,
      {
        flags: "--format <format>",
        description: "form of the data set: yaml or json",
        values: ["yaml", "json"],
        closed: true,
        default: "yaml",
      },
      { flags: "--secrets", description: "with the secrets of access keys, in clear" },
      {
        flags: "-o, --output <file>",
        description: "file to write (mode 600) in place of standard output",
      },
    ],
    load: async () => (await import("./dataset-runs.ts")).exportData,
  },
];
