/** `svc-authorizer history` and `restore`, as data. A local store must not be in use by the service. */

import { CONFIG_OPTIONS, type CommandSpec, JSON_OPTION } from "../command.ts";

/** `--at` of commands that read an earlier state. */
export const AT_OPTION = {
  flags: "--at <revision|time>",
  description: "the state at a revision, or at a time: RFC 3339, a date, or an age such as 2h",
} as const;

/** Commands that look into the past. */
export const HISTORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "history",
    description: "Lists who changed what, oldest first; without --after the newest entries.",
    page: "operations.md",
    examples: ["--config authorizer.yaml", "--config authorizer.yaml --after 1200 --limit 50 --json"],
    options: [
      ...CONFIG_OPTIONS,
      { flags: "--after <revision>", description: "only entries after this revision", kind: "integer" },
      { flags: "--limit <count>", description: "most entries to list", kind: "integer", default: 100 },
      JSON_OPTION,
    ],
    load: async () => (await import("./history-command.ts")).history,
  },
  {
    name: "restore",
    description:
      "Makes users, groups, policies and resources what they were; a new change, which can be undone.",
    page: "operations.md",
    examples: [
      "--config authorizer.yaml --at 2026-11-22T08:00:00Z --dry-run",
      "--config authorizer.yaml --at 1200",
      "--config authorizer.yaml --from backup-2026-11-25.ndjson",
    ],
    options: [
      ...CONFIG_OPTIONS,
      { ...AT_OPTION, required: true, unless: "from" },
      {
        flags: "--from <file>",
        description:
          "a backup of a local store, which takes the place of the store; the service must be stopped",
      },
      { flags: "--dry-run", description: "only say what would change" },
      {
        flags: "--with-credentials",
        description:
          "also passwords that were changed since; with --forget-revocations access keys and external principals, too",
      },
      {
        flags: "--keep-sessions",
        description: "with --from: only login tokens that had ended end",
      },
      {
        flags: "--forget-revocations",
        description:
          "who was deleted or made inactive since is active again; without it, the restore keeps what was revoked",
      },
      JSON_OPTION,
    ],
    load: async () => (await import("./restore-command.ts")).restore,
  },
];
