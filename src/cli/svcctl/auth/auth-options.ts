/** Options that several `auth` commands share. */

import type { OptionSpec } from "../../command-spec.ts";

/** `--json` of a command whose answer has a shape of its own. */
export const JSON_OUTPUT: OptionSpec = { flags: "--json", description: "print JSON" };

/** Paging of a list. */
export const PAGING: readonly OptionSpec[] = [
  { flags: "--amount <int>", description: "number of results", kind: "integer", default: 100 },
  { flags: "--after <string>", description: "show results after this value" },
  { flags: "--all", description: "every result, page after page" },
  { flags: "--prefix <string>", description: "show only results that begin with this" },
  JSON_OUTPUT,
];

export const GROUP_ID: OptionSpec = { flags: "--id <string>", description: "group", required: true };
export const POLICY_ID: OptionSpec = { flags: "--id <string>", description: "policy", required: true };
export const USER_ID: OptionSpec = { flags: "--id <string>", description: "user name", required: true };
export const POLICY: OptionSpec = { flags: "--policy <string>", description: "policy", required: true };
export const OWN_ID: OptionSpec = {
  flags: "--id <string>",
  description: "user name (default: current user)",
};
export const MEMBER: OptionSpec = {
  flags: "--user <string>",
  description: "user name (default: current user)",
};
export const PRINCIPAL: OptionSpec = {
  flags: "--principal-id <string>",
  description: "external principal, such as the ARN of an assumed role",
  required: true,
};
