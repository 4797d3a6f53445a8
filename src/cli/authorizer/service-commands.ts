/** `svc-authorizer run` and `config`, as data. */

import { CONFIG_OPTIONS, type CommandSpec, type GroupSpec } from "./command.ts";

const RUN: CommandSpec = {
  name: "run",
  description: "start the service",
  page: "operations.md",
  examples: ["--quickstart", "--config authorizer.yaml", "--config authorizer.yaml --logging.level DEBUG"],
  options: [
    ...CONFIG_OPTIONS,
    {
      flags: "--quickstart",
      description: "without a configuration file: loopback, generated secrets, a small data set",
    },
    { flags: "--data <folder>", description: "folder of the quick start (default ./.svc-authorizer)" },
  ],
  load: async () => (await import("./run-command.ts")).run,
};

const CONFIG: GroupSpec = {
  name: "config",
  description: "show, validate or document the configuration",
  page: "configuration.md",
  commands: [
    {
      name: "show",
      description: "print the effective values and where each came from, secrets redacted",
      examples: ["--only-set", "--config authorizer.yaml --json"],
      options: [
        ...CONFIG_OPTIONS,
        { flags: "--json", description: "print JSON" },
        { flags: "--only-set", description: "leave out defaults" },
      ],
      load: async () => (await import("./config-commands.ts")).show,
    },
    {
      name: "validate",
      description: "report every problem with file and line",
      examples: ["--config authorizer.yaml"],
      options: CONFIG_OPTIONS,
      load: async () => (await import("./config-commands.ts")).validate,
    },
    {
      name: "docs",
      description: "print the reference of all items in Markdown",
      examples: ["> configuration.md"],
      load: async () => (await import("./config-commands.ts")).docs,
    },
  ],
};

/** Commands that start and configure the service. */
export const SERVICE_COMMANDS: readonly (CommandSpec | GroupSpec)[] = [RUN, CONFIG];
