/** `svc-authorizer run` and `config`, as data. */

import { CONFIG_OPTIONS, type CommandSpec, type GroupSpec } from "./command.ts";

const RUN: CommandSpec = {
  name: "run",
  description: "Starts the service.",
  page: "operations.md",
  examples: ["--quickstart", "--config authorizer.yaml", "--config authorizer.yaml --logging.level DEBUG"],
  options: [
    ...CONFIG_OPTIONS,
    {
      flags: "--quickstart",
      description:
        "run without a configuration file: on loopback, with generated secrets and a small data set",
    },
    { flags: "--data <folder>", description: "folder of the quick start (default ./.svc-authorizer)" },
    {
      flags: "--keep-sessions",
      description: "login tokens go on where an older state of the local store was put back",
    },
  ],
  load: async () => (await import("./run/run-command.ts")).run,
};

const CONFIG: GroupSpec = {
  name: "config",
  description: "Shows, validates and documents the configuration.",
  page: "configuration.md",
  commands: [
    {
      name: "show",
      description: "Prints the effective values and the source of each, with secrets redacted.",
      examples: ["--only-set", "--config authorizer.yaml --json"],
      options: [
        ...CONFIG_OPTIONS,
        { flags: "--json", description: "print JSON" },
        { flags: "--only-set", description: "omit defaults" },
      ],
      load: async () => (await import("./config-commands.ts")).show,
    },
    {
      name: "validate",
      description: "Reports every problem with file and line.",
      examples: ["--config authorizer.yaml", "--config authorizer.yaml --online"],
      options: [
        ...CONFIG_OPTIONS,
        {
          flags: "--online",
          description:
            "also ask the data server of authorizer.exchange.upstream (its key, its S3 gateway, its hooks) and each identity provider for its discovery document",
        },
      ],
      load: async () => (await import("./config-commands.ts")).validate,
    },
    {
      name: "docs",
      description: "Prints the reference of all items in Markdown.",
      examples: ["> configuration.md"],
      load: async () => (await import("./config-commands.ts")).docs,
    },
  ],
};

/** Commands that start and configure the service. */
export const SERVICE_COMMANDS: readonly (CommandSpec | GroupSpec)[] = [RUN, CONFIG];
