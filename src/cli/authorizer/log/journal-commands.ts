/** `svc-authorizer journal`, as data: work on the log as a whole. */

import { CONFIG_OPTIONS, type GroupSpec, JSON_OPTION } from "../command.ts";

/** Commands on the log as a whole. */
export const JOURNAL_COMMANDS: GroupSpec = {
  name: "journal",
  description: "Copies the store, or raises the format of a shared log.",
  commands: [
    {
      name: "copy",
      description: "Copies the store with its ids, secrets and history into an empty one.",
      page: "high-availability.md",
      examples: ["--config authorizer.yaml --to postgres.yaml"],
      options: [
        ...CONFIG_OPTIONS,
        {
          flags: "--to <file>",
          description: "configuration file of the store to copy to; only database.* counts",
          required: true,
        },
        JSON_OPTION,
      ],
      load: async () => (await import("./journal-copy.ts")).journalCopy,
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
