/** `svcctl audit`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

const FILTERS: readonly OptionSpec[] = [
  { flags: "--actor <pattern>", description: "who made it; * and ? are wildcards", completes: "user" },
  { flags: "--operation <pattern>", description: "operation, such as attachPolicyToUser" },
  { flags: "--target <pattern>", description: "kind and name of what was changed, such as 'user bob'" },
  {
    flags: "--event <pattern>",
    description: "event, such as write, login, secret_read or authentication_failed",
  },
];
const RANGE: readonly OptionSpec[] = [
  { flags: "--since <time>", description: "RFC 3339 time, or an age such as 15m, 2h, 30d" },
  { flags: "--until <time>", description: "RFC 3339 time, or an age such as 15m, 2h, 30d" },
];

/** Records of the audit log. */
export const AUDIT_GROUP: GroupSpec = {
  name: "audit",
  description: "Shows who changed what: the records of the audit log.",
  page: "decision-log.md",
  commands: [
    {
      name: "list",
      description: "Lists records, newest first.",
      examples: ["--since 1d", "--actor alice --event write", "--target 'user bob' --all -o json"],
      options: [...FILTERS, ...RANGE, ...PAGING.filter(({ flags }) => !flags.startsWith("--prefix"))],
      load: async () => (await import("./audit-commands.ts")).listAudit,
    },
    {
      name: "show",
      description: "Shows a record with what was before and after.",
      arguments: "<id>",
      argumentCount: [1, 1],
      examples: ["a-3f9c2a7b81d0-1a"],
      options: [JSON_OUTPUT],
      load: async () => (await import("./audit-commands.ts")).showAudit,
    },
    {
      name: "tail",
      description: "Prints records as they are written, until it is interrupted.",
      examples: ["", "--event write --json"],
      options: [
        ...FILTERS,
        { flags: "--count <int>", description: "end after this many records", kind: "integer" },
        { flags: "--json", description: "print each record as a line of JSON" },
      ],
      load: async () => (await import("./audit-commands.ts")).tailAudit,
    },
  ],
};
