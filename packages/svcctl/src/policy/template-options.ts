/** Options of commands that fill in a policy template. */

import type { OptionSpec, OptionValues } from "@svc-authorizer/commands/command-spec.ts";

export const PARAM: OptionSpec = {
  flags: "--param <name=value>",
  description: "value of a parameter of the template (repeatable)",
  kind: "repeated",
};

export const PARTITION: OptionSpec = {
  flags: "--partition <name>",
  description: "product-name part of ARNs",
  default: "svc",
};

export const TEMPLATE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--template <name>",
    description: "take the statements from this template",
    completes: "template",
  },
  PARAM,
  PARTITION,
];

/** Values of `--param`, in the order in which they were given. */
export function paramsOf(options: OptionValues): readonly string[] {
  const given = options["param"];
  return Array.isArray(given) ? given : [];
}
