/** `svcctl gc`, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY } from "../uri/arguments.ts";

/** Garbage collection rules of a repository. */
export const GC_GROUP: GroupSpec = {
  name: "gc",
  description: "Manages the garbage collection policy of a repository.",
  commands: [
    {
      ...REPOSITORY,
      name: "prepare-async",
      description: "Starts a task that lists the commits which garbage collection reads (plumbing).",
      examples: [EXAMPLE],
      options: [JSON_OUTPUT],
      load: async () => (await import("./prepare-async.ts")).prepareAsync,
    },
    {
      ...REPOSITORY,
      name: "check-async",
      description: "Shows how far a task of prepare-async is (plumbing).",
      examples: [`${EXAMPLE} --id 6kqm3vch5c0`],
      options: [
        { flags: "--id <string>", description: "id that prepare-async printed", required: true },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./prepare-async.ts")).checkAsync,
    },
    {
      ...REPOSITORY,
      name: "delete-config",
      mustName: true,
      description: "Deletes the garbage collection policy of a repository.",
      examples: [EXAMPLE],
      options: [JSON_OUTPUT],
      load: async () => (await import("./delete-config.ts")).deleteConfig,
    },
    {
      ...REPOSITORY,
      name: "get-config",
      description: "Shows the garbage collection policy of a repository.",
      examples: [EXAMPLE, `${EXAMPLE} --json`],
      options: [{ flags: "-p, --json", description: "print the rules as JSON" }],
      load: async () => (await import("./get-config.ts")).getConfig,
    },
    {
      ...REPOSITORY,
      name: "set-config",
      description: "Sets the garbage collection policy of a repository.",
      examples: [`${EXAMPLE} --filename rules.json`],
      helpLines: () => [
        "The file holds JSON:",
        "  {",
        '    "default_retention_days": 21,',
        '    "branches": [',
        '      {"branch_id": "main", "retention_days": 28},',
        '      {"branch_id": "dev", "retention_days": 14}',
        "    ]",
        "  }",
      ],
      options: [
        {
          flags: "-f, --filename <string>",
          description: "file with the policy as JSON, or - for standard input",
          required: true,
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./set-config.ts")).setConfig,
    },
  ],
};
