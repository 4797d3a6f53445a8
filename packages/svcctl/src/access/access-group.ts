/** `svcctl access`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT, PAST_PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

const SINCE: OptionSpec = {
  flags: "--since <time>",
  description: "RFC 3339 time, a date, or an age such as 30d",
  default: "90d",
};

/** Access and its use. */
export const ACCESS_GROUP: GroupSpec = {
  name: "access",
  description: "Learns from use: access that nobody uses, smaller policies that would suffice, reviews.",
  page: "access-review.md",
  commands: [
    {
      name: "unused",
      description: "Lists users, keys, groups, policies, statements and actions that nobody used.",
      examples: ["", "--since 30d --kind user --all", "--since 2026-08-24 --all -o csv"],
      options: [
        SINCE,
        {
          flags: "--kind <kind>",
          description: "only user, key, group, policy, statement or actions",
          values: ["user", "key", "group", "policy", "statement", "actions"],
          closed: true,
        },
        ...PAST_PAGING,
      ],
      load: async () => (await import("./unused.ts")).listUnused,
    },
    {
      name: "suggest",
      description:
        "Prints the smallest policy that still allows everything that was used, as the server has proven.",
      examples: [
        "--user alice",
        "--group Analysts --since 60d --generalise repository > analysts.json",
        "--user alice --json",
      ],
      options: [
        {
          flags: "--user <name>",
          description: "the user whose policies it is to replace",
          completes: "user",
        },
        {
          flags: "--group <name>",
          description: "the group whose policies it is to replace",
          completes: "group",
        },
        { ...SINCE, default: "30d" },
        {
          flags: "--generalise <how>",
          description: "patterns for resources: none, common beginnings, or everything in a repository",
          values: ["none", "prefix", "repository"],
          closed: true,
          default: "prefix",
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./suggest.ts")).suggestPolicy,
    },
    {
      name: "review",
      description:
        "Prints who may do what, administrators in effect, old keys and changes: one HTML file, CSV or JSON.",
      examples: ["> review.html", "--since 2026-08-24 --format csv > review.csv", "--format json"],
      options: [
        { ...SINCE, description: "changes since: RFC 3339 time, or an age such as 30d" },
        {
          flags: "--format <format>",
          description: "html, csv or json",
          values: ["html", "csv", "json"],
          closed: true,
          default: "html",
        },
      ],
      load: async () => (await import("./review.ts")).reviewAccess,
    },
  ],
};
