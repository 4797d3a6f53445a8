/** The one place where failures of svcctl become text on standard error and an exit code (spec/management-cli §1). */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { usageText } from "@svc-authorizer/commands/usage-text.ts";
import { AuthorizerError, messageOf, type Problem } from "@svc-authorizer/policy/errors.ts";
import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.ts";

/** Writes the failure. Returns the exit code: 1, or 0 where commander only ended after help. */
export function reportFailure(error: unknown, context: CommandContext): number {
  const { red } = context.errorStyle;
  if (error instanceof CommanderError) {
    // Help that was asked for is no failure, not even help on a word that is no command.
    if (error.exitCode === 0 || error.code === "commander.help") return EXIT.ok;
    context.err(`Error: ${usageText(error)}\n`);
  } else if (error instanceof UsageFailure) {
    context.err([`Error: ${error.message}`, ...error.hints, ""].join("\n"));
  } else if (error instanceof ApiFailure) {
    context.err(`${red(error.message)}\n${error.statusLine}\n`);
  } else {
    const problems = error instanceof AuthorizerError ? error.problems : [];
    for (const problem of problems) context.err(`${problemLine(problem)}\n`);
    const message = messageOf(error);
    context.err(`${red(message)}\nError executing command.\n`);
  }
  if (context.advice !== undefined) context.err(`\nHint: ${context.advice}\n`);
  return EXIT.failed;
}

function problemLine({ file, line, message, pointer }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return [place, pointer, message].filter((part) => part !== undefined && part !== "").join(": ");
}
