import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";

/** `--amount`. */
export function amount(what: string, value = 1_000_000): OptionSpec {
  return { flags: "--amount <int>", description: `number of ${what}`, kind: "integer", default: value };
}

/** `--parallelism`, which has no short name here. */
export const PARALLELISM: OptionSpec = {
  flags: "--parallelism <int>",
  description: "calls at once",
  kind: "integer",
  default: 100,
};
