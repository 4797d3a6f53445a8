/** Options that every command takes, before or after its name (spec/management-cli §2). */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { GLOBAL_HEADING } from "@svc-authorizer/commands/new-program.ts";
import type { Command } from "commander";
import type { GlobalOptions } from "./command-context.ts";

/** The options, help and version apart. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--base-uri <uri>",
    description: "base URI that relative URIs are resolved against (default $SVCCTL_BASE_URI)",
  },
  {
    flags: "-c, --config <file>",
    description: "configuration file (default $SVCCTL_CONFIG_FILE, else $HOME/.svcctl.yaml)",
  },
  { flags: "--log-format <format>", description: "text or json (default text)", values: ["text", "json"] },
  {
    flags: "--log-level <level>",
    description: "what is logged (default none)",
    values: ["trace", "debug", "info", "warn", "error", "panic", "none"],
  },
  {
    flags: "--log-output <outputs>",
    description: "where to: files, - for standard output, = for standard error (repeatable, or with commas)",
    kind: "list",
  },
  { flags: "--no-color", description: "neither colours nor grids (default with $NO_COLOR)" },
  // What `--no-color=false` means: colours although $NO_COLOR is set.
  { flags: "--color", description: "colours and grids on terminals", hidden: true },
  {
    flags: "-o, --output <format>",
    description: "table, json, yaml or csv (default table; dates in the others are RFC 3339)",
    values: ["table", "json", "yaml", "csv"],
    closed: true,
  },
  { flags: "-y, --yes", description: "answer all confirmations with yes" },
  { flags: "--verbose", description: "say more (--version, doctor)" },
];

/** The options that were given to a command or to one of those above it; the nearest one counts. */
export function globalOptionsOf(command: Command): GlobalOptions {
  const given: Record<string, unknown> = {};
  for (let one: Command | null = command; one !== null; one = one.parent) {
    for (const option of one.options) {
      const name = option.attributeName();
      // An option that a command declares itself has that command's meaning. Commander presets `color` to true for
      // the sake of `--no-color`.
      const isGlobal = option.helpGroupHeading === GLOBAL_HEADING && NAMES.has(name);
      if (isGlobal && one.getOptionValueSource(name) === "cli") given[name] ??= one.getOptionValue(name);
    }
  }
  return given;
}

const NAMES: ReadonlySet<string> = new Set<keyof GlobalOptions>([
  "baseUri",
  "config",
  "logFormat",
  "logLevel",
  "logOutput",
  "color",
  "verbose",
  "output",
  "yes",
]);
