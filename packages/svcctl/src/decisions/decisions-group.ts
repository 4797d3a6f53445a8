/** `svcctl decisions`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

const FILTERS: readonly OptionSpec[] = [
  { flags: "--subject <pattern>", description: "who asked; * and ? are wildcards", completes: "user" },
  { flags: "--action <pattern>", description: "action, such as fs:*", completes: "action" },
  {
    flags: "--resource <pattern>",
    description: "ARN of the resource, such as arn:svc:fs:::repository/data/*",
  },
  {
    flags: "--decision <decision>",
    description: "allow; deny for every refusal; neutral for those that no statement denied",
    values: ["allow", "deny", "neutral"],
    closed: true,
  },
  { flags: "--policy <pattern>", description: "policy of a statement that decided", completes: "policy" },
];
const SINCE: OptionSpec = {
  flags: "--since <time>",
  description: "RFC 3339 time, a date, or an age such as 15m, 2h, 30d",
};
const UNTIL: OptionSpec = {
  flags: "--until <time>",
  description: "RFC 3339 time, a date, or an age such as 15m, 2h, 30d",
};

/** Records of decisions. */
export const DECISIONS_GROUP: GroupSpec = {
  name: "decisions",
  description: "Shows what was decided: the records of the decision log.",
  page: "decision-log.md",
  commands: [
    {
      name: "list",
      description: "Lists records, newest first.",
      examples: ["--since 1h", "--subject alice --decision deny", "--policy ReadData --all -o json"],
      options: [...FILTERS, SINCE, UNTIL, ...PAGING.filter(({ flags }) => !flags.startsWith("--prefix"))],
      load: async () => (await import("./list-decisions.ts")).listDecisions,
    },
    {
      name: "show",
      description: "Shows a record; with --explain also why, on the directory of its revision.",
      arguments: "<id>",
      argumentCount: [1, 1],
      examples: ["d-3f9c2a7b81d0-1a", "d-3f9c2a7b81d0-1a --explain"],
      options: [
        {
          flags: "--explain",
          description: "explain the decision as of its time; exit code 1 if that is no longer kept",
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./show-decision.ts")).showDecision,
    },
    {
      name: "tail",
      description: "Prints records as they are written, until it is interrupted.",
      examples: ["", "--decision deny", "--subject 'ci-*' --json"],
      options: [
        ...FILTERS,
        { flags: "--count <int>", description: "end after this many records", kind: "integer" },
        { flags: "--json", description: "print each record as a line of JSON" },
      ],
      load: async () => (await import("./tail-decisions.ts")).tailDecisions,
    },
  ],
};
