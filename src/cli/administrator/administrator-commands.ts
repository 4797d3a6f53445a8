/** `svc-authorizer setup` and `superuser`, as data: whoever runs the service creates administrators. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { CONFIG_OPTIONS, type CommandSpec, type GroupSpec, JSON_OPTION } from "../command.ts";

const ADMINISTRATOR_OPTIONS: readonly OptionSpec[] = [
  ...CONFIG_OPTIONS,
  { flags: "--user-name <name>", description: "name of the administrator", required: true },
  { flags: "--quickstart", description: "work on the quick start, not on a configured service" },
  { flags: "--data <folder>", description: "folder of the quick start (default ./.svc-authorizer)" },
  {
    flags: "--access-key-id <id>",
    description: "import this key; the command asks for its secret or reads it from --secret-env",
  },
  { flags: "--secret-env <name>", description: "environment variable with the secret of the imported key" },
  JSON_OPTION,
];

/** Commands that create administrators. */
export const ADMINISTRATOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: "setup",
    description: "Creates the first administrator, once. In a running service this needs its one-time token.",
    page: "management-api.md",
    examples: [
      "--quickstart --user-name admin --write-config",
      "--config authorizer.yaml --user-name admin",
      "--user-name admin --server https://auth.example.com --token-file token",
    ],
    options: [
      ...ADMINISTRATOR_OPTIONS,
      { flags: "--server <url>", description: "user listener of the running service" },
      {
        flags: "--token-file <file>",
        description: "file with the one-time token (default: the file of the service)",
      },
      {
        flags: "--write-config [file]",
        description: "write the key into svcctl's configuration file (default ~/.svcctl.yaml)",
      },
    ],
    load: async () => (await import("./setup-command.ts")).setup,
  },
  {
    name: "superuser",
    description: "Creates another administrator while the service is not running.",
    page: "management-api.md",
    examples: ["--config authorizer.yaml --user-name second-admin"],
    options: ADMINISTRATOR_OPTIONS,
    load: async () => (await import("./superuser-command.ts")).superuser,
  },
];

/** Commands on the set-up of a running service. */
export const SET_UP_COMMANDS: GroupSpec = {
  name: "set-up",
  description: "The set-up of the first administrator.",
  page: "management-api.md",
  commands: [
    {
      name: "token",
      description: "Prints the one-time token, until there is an administrator.",
      examples: ["--config authorizer.yaml"],
      options: [
        ...CONFIG_OPTIONS,
        { flags: "--quickstart", description: "work on the quick start, not on a configured service" },
        { flags: "--data <folder>", description: "folder of the quick start (default ./.svc-authorizer)" },
      ],
      load: async () => (await import("./set-up-token-command.ts")).setUpToken,
    },
  ],
};
