/** `svc-authorizer journal`, as data: work on the log as a whole. */

import { CONFIG_OPTIONS, type GroupSpec, JSON_OPTION } from "../command.ts";

/** Commands on the log as a whole. */
export const JOURNAL_COMMANDS: GroupSpec = {
  name: "journal",
  description: "Copies the store, raises the format of a shared log, or lets nodes go over to another log.",
  commands: [
    {
      name: "copy",
      description: "Copies the store with its ids, secrets and history into an empty one.",
      page: "high-availability.md",
      examples: [
        "--config authorizer.yaml --to postgres.yaml",
        "--config authorizer.yaml --from-copy /var/lib/svc-authorizer/copy",
      ],
      options: [
        ...CONFIG_OPTIONS,
        {
          flags: "--to <file>",
          description: "configuration file of the store to copy to; only database.* counts",
          required: true,
          unless: "fromCopy",
        },
        {
          flags: "--from-copy <folder>",
          description:
            "copy what a node's copy has (authorizer.replication.path, or a former copy beside it), also while the node runs; without --to, into the empty database of this configuration",
        },
        JSON_OPTION,
      ],
      load: async () => (await import("./journal-copy.ts")).journalCopy,
    },
    {
      name: "accept",
      description:
        "Lets nodes go over to the log that is in the database now, though their copies are of another one. They keep those copies beside the new ones.",
      page: "high-availability.md",
      examples: ["--config authorizer.yaml", "--config authorizer.yaml --yes"],
      options: [
        ...CONFIG_OPTIONS,
        { flags: "--yes", description: "do it; without it, the logs are named and nothing changes" },
        JSON_OPTION,
      ],
      load: async () => (await import("./journal-accept.ts")).journalAccept,
    },
    {
      name: "lost",
      description: "Shows, or makes again, what a database lost that was put back, or failed over.",
      commands: [
        {
          name: "show",
          description:
            "Shows the entries that were lost and the records that they wrote or removed, from the file that a node wrote beside its copy. Values of records are left out: some are secrets.",
          page: "high-availability.md",
          examples: ["--file /var/lib/svc-authorizer/copy/lost-2026-11-25T20-15-00-000Z-FvgAaYe8-15.ndjson"],
          options: [
            { flags: "--file <file>", description: "the file, which the log line names", required: true },
            JSON_OPTION,
          ],
          load: async () => (await import("./journal-lost.ts")).journalLostShow,
        },
        {
          name: "apply",
          description:
            "Makes again what was lost, as one change, as far as nothing of it was changed since. Without --yes it only says what it would do. Exit code 1 where something no longer fits.",
          page: "high-availability.md",
          examples: [
            "--config authorizer.yaml --file copy/lost-2026-11-25T20-15-00-000Z-FvgAaYe8-15.ndjson",
            "--config authorizer.yaml --file copy/lost-2026-11-25T20-15-00-000Z-FvgAaYe8-15.ndjson --yes",
          ],
          options: [
            ...CONFIG_OPTIONS,
            { flags: "--file <file>", description: "the file, which the log line names", required: true },
            { flags: "--yes", description: "do it; without it, nothing changes" },
            JSON_OPTION,
          ],
          load: async () => (await import("./journal-lost-apply.ts")).journalLostApply,
        },
      ],
    },
    {
      name: "upgrade",
      description:
        "Raises the format of a shared log once all nodes run this version. Nodes of earlier versions stop being ready.",
      page: "high-availability.md",
      examples: ["--config authorizer.yaml"],
      options: [...CONFIG_OPTIONS, JSON_OPTION],
      load: async () => (await import("./journal-upgrade.ts")).journalUpgrade,
    },
  ],
};
