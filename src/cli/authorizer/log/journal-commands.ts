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
