/** `svcctl auth policies`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { GroupSpec } from "../../command.ts";
import { templateHelp } from "../../policy/template-lines.ts";
import { TEMPLATE_OPTIONS } from "../../policy/template-options.ts";
import { JSON_OUTPUT, POLICY_ID } from "../auth-options.ts";
import { changeCommand, listCommand, pastCommand } from "../auth-specs.ts";

const STATEMENT_DOCUMENT: OptionSpec = {
  flags: "--statement-document <path>",
  description: "JSON file with the statements, or - for standard input",
  required: true,
};

const LENIENT_MEMBERS: OptionSpec = {
  flags: "--lenient-members",
  description:
    "leave out members of statements that are unlike every one that restricts, such as comment, with a warning (for this version only)",
};

/** Policies on the server; `svcctl policy` works on files. */
export const POLICIES_GROUP: GroupSpec = {
  name: "policies",
  description: "Manages policies.",
  commands: [
    listCommand(
      {
        name: "list",
        description: "Lists policies.",
        examples: ["", "--prefix FS --amount 20", "--all -o json"],
      },
      {
        path: ["auth", "policies"],
        columns: [
          { heading: "Policy ID", name: "id", fields: ["id"] },
          {
            heading: "Creation Date",
            name: "creation_date",
            fields: ["creation_date"],
            kind: "date",
          },
        ],
      },
    ),
    {
      name: "create",
      description: "Creates a policy.",
      examples: [
        "--id ReadData --statement-document read-data.json",
        "--id ReadData --statement-document - < read-data.json",
        "--id WriteData --template repository-read-write --param repository=data",
      ],
      options: [
        {
          ...POLICY_ID,
          description: "policy (required without --template, which has a name of its own)",
          unless: "template",
        },
        {
          ...STATEMENT_DOCUMENT,
          description: `${STATEMENT_DOCUMENT.description} (required without --template)`,
          unless: "template",
        },
        ...TEMPLATE_OPTIONS,
        LENIENT_MEMBERS,
        JSON_OUTPUT,
      ],
      helpLines: templateHelp,
      load: async () => (await import("./policies.ts")).createPolicy,
    },
    {
      name: "update",
      description: "Replaces the statements of a policy, wherever it is attached.",
      examples: ["--id ReadData --statement-document read-data.json"],
      options: [POLICY_ID, STATEMENT_DOCUMENT, LENIENT_MEMBERS, JSON_OUTPUT],
      load: async () => (await import("./policies.ts")).updatePolicy,
    },
    {
      name: "show",
      description: "Shows a policy.",
      examples: ["--id ReadData"],
      options: [POLICY_ID, JSON_OUTPUT],
      load: async () => (await import("./policies.ts")).showPolicy,
    },
    pastCommand(
      {
        name: "versions",
        description: "Lists the versions of a policy, the newest first.",
        examples: ["--id ReadData", "--id ReadData --amount 1 --json"],
        options: [POLICY_ID],
      },
      {
        path: ["auth", "policies", { option: "id" }, "versions"],
        columns: [
          { heading: "Removed", name: "removed", fields: ["removed"] },
          { heading: "Position", name: "position", fields: ["position"] },
        ],
      },
    ),
    {
      name: "restore",
      description: "Makes a policy what a version of it was.",
      examples: ["--id ReadData --position 1204.h7Gc2xQa.Zk3vT0bR"],
      options: [
        POLICY_ID,
        {
          flags: "--position <text>",
          description: "position of a version, as `versions` lists them",
          required: true,
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./policies.ts")).restorePolicy,
    },
    changeCommand(
      {
        name: "delete",
        description: "Deletes a policy.",
        examples: ["--id ReadData"],
        options: [POLICY_ID],
      },
      {
        method: "DELETE",
        path: ["auth", "policies", { option: "id" }],
        expect: 204,
        done: "Policy deleted successfully",
      },
    ),
  ],
};
