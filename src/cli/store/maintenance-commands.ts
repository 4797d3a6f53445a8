/** `svc-authorizer reset`, `check-store`, `backup`, `rotate-key` and `import`, as data. Those that write need the service to be stopped. */

import { CONFIG_OPTIONS, type CommandSpec, FROM_COPY_OPTION, JSON_OPTION } from "../command.ts";

/** Commands that look after a store. */
export const MAINTENANCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "reset",
    description: "Empties the store. Without --yes it only reports what would be lost.",
    page: "operations.md",
    examples: ["--config authorizer.yaml --yes"],
    options: [...CONFIG_OPTIONS, { flags: "--yes", description: "empty the store" }],
    load: async () => (await import("./reset-command.ts")).reset,
  },
  {
    name: "check-store",
    description:
      "Checks the store for damage and inconsistencies without changing it: exit code 1 if there are any.",
    page: "operations.md",
    examples: [
      "--config authorizer.yaml",
      "--config authorizer.yaml --from-copy /var/lib/svc-authorizer/copy",
    ],
    options: [
      ...CONFIG_OPTIONS,
      { flags: "--backup <file>", description: "check a backup of the store instead" },
      FROM_COPY_OPTION,
      {
        flags: "--audit-log <file>",
        description:
          "a file of the audit log, also with .gz, that says who wrote doubtful policies; authorizer.audit.output is always read (repeatable)",
        kind: "repeated",
      },
      JSON_OPTION,
    ],
    load: async () => (await import("./check-store-command.ts")).checkStore,
  },
  {
    name: "backup",
    description:
      "Writes the state of a local store into a file, also while the service runs. Called again, it goes on where it was interrupted.",
    page: "operations.md",
    examples: ["backup-2026-11-25.ndjson --config authorizer.yaml"],
    arguments: "<file>",
    options: [...CONFIG_OPTIONS, JSON_OPTION],
    load: async () => (await import("./backup-command.ts")).backup,
  },
  {
    name: "rotate-key",
    description: "Encrypts all secrets of the store with a new auth.encrypt.secret_key.",
    page: "operations.md",
    examples: ["OLD=… NEW=… --config authorizer.yaml --from-env OLD --to-env NEW"],
    options: [
      ...CONFIG_OPTIONS,
      {
        flags: "--from-env <name>",
        description: "environment variable with the current key",
        required: true,
      },
      { flags: "--to-env <name>", description: "environment variable with the new key", required: true },
      { flags: "--force", description: "also while nodes of a shared database run without the new key" },
      JSON_OPTION,
    ],
    load: async () => (await import("./rotate-key-command.ts")).rotateKey,
  },
  {
    name: "import",
    description:
      "Copies users, groups, policies and everything that belongs to them from a running data-server API.",
    page: "operations.md",
    examples: ["TOKEN=… --from http://old-host:8001/api/v1 --token-env TOKEN --dry-run"],
    options: [
      ...CONFIG_OPTIONS,
      {
        flags: "--from <url>",
        description: "base of the API, such as http://host:8001/api/v1",
        required: true,
      },
      {
        flags: "--token-env <name>",
        description: "environment variable with the bearer token",
        required: true,
      },
      { flags: "--with-secrets", description: "copy access keys with their secrets (the default)" },
      { flags: "--no-secrets", description: "do not copy access keys" },
      {
        flags: "--merge",
        description: "add to a store that is not empty; an entity with the same name is replaced",
      },
      { flags: "--dry-run", description: "read and check everything, write nothing" },
      JSON_OPTION,
    ],
    load: async () => (await import("../import/import-command.ts")).importDirectory,
  },
];
