/** `svcctl access`, as data. */

import type { OptionSpec } from "../../command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";

const SINCE: OptionSpec = {
  flags: "--since <time>",
  description: "RFC 3339 time, a date, or an age such as 30d",
  default: "90d",
};

/** Access and its use. */
export const ACCESS_GROUP: GroupSpec = {
  name: "access",
  description: "Learns from use: access that nobody uses.",
  page: "decision-log.md",
  commands: [
    {
      name: "unused",
      description: "Lists users, keys, groups, policies, statements and actions that nobody used.",
      examples: ["", "--since 30d", "--since 2026-08-24 -o csv"],
      options: [SINCE, JSON_OUTPUT],
      load: async () => (await import("./unused.ts")).listUnused,
    },
  ],
};
