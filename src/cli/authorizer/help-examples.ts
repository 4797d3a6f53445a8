/** What stands below a command's options in its help: how it is called, and where to read on. */

import type { Command } from "commander";

/** Adds command lines, and the page of `docs/` about the command. */
export function withExamples(command: Command, examples: readonly string[], page: string): Command {
  const lines = [
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
    `Read on: docs/${page} in the repository`,
  ];
  return command.addHelpText("after", lines.join("\n"));
}
