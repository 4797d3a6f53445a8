/** Options that several `auth` commands share. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";

/** `--json`: what the server answered, as it is. */
export const JSON_OUTPUT: OptionSpec = { flags: "--json", description: "print JSON" };

/** Paging of a list. */
export const PAGING: readonly OptionSpec[] = [
  { flags: "--amount <int>", description: "number of results", kind: "integer", default: 100 },
  { flags: "--after <string>", description: "show results after this value" },
  { flags: "--all", description: "every result, page after page" },
  { flags: "--prefix <string>", description: "show only results that begin with this" },
  JSON_OUTPUT,
];

/** The search in a list of this service; a data server's own API has none. */
export const SEARCH: OptionSpec = {
  flags: "--search <string>",
  description: "show only results with this text in their names, in letters of any case",
};

/** Paging of a list that goes back in time. */
export const PAST_PAGING: readonly OptionSpec[] = PAGING.filter(({ flags }) => !flags.startsWith("--prefix"));

export const GROUP_ID: OptionSpec = {
  flags: "--id <string>",
  description: "group",
  required: true,
  completes: "group",
};
export const POLICY_ID: OptionSpec = {
  flags: "--id <string>",
  description: "policy",
  required: true,
  completes: "policy",
};
export const USER_ID: OptionSpec = {
  flags: "--id <string>",
  description: "user name",
  required: true,
  completes: "user",
};
export const POLICY: OptionSpec = {
  flags: "--policy <string>",
  description: "policy",
  required: true,
  completes: "policy",
};
export const OWN_ID: OptionSpec = {
  flags: "--id <string>",
  description: "user name (default: current user)",
  completes: "user",
};
export const MEMBER: OptionSpec = {
  flags: "--user <string>",
  description: "user name (default: current user)",
  completes: "user",
};
export const PRINCIPAL: OptionSpec = {
  flags: "--principal-id <string>",
  description: "external principal, such as the ARN of an assumed role",
  required: true,
};
