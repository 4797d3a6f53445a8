/** The command line of `svc-authorizer`: which commands there are, and how their failures end. */

import { addCommands, finishWithoutCommand, withHelpCommand } from "@svc-authorizer/commands/add-commands.ts";
import { addOptions } from "@svc-authorizer/commands/add-options.ts";
import { booleanSwitches } from "@svc-authorizer/commands/boolean-switches.ts";
import { type Environment, readEnvironment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { GLOBAL_HEADING, newProgram, VERSION } from "@svc-authorizer/commands/new-program.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { refuseUnknownWord } from "@svc-authorizer/commands/unknown-word.ts";
import { usageText } from "@svc-authorizer/commands/usage-text.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import {
  ConfigError,
  countOf,
  formatProblem,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { type Command, CommanderError } from "commander";
import { ALL_ITEMS } from "../config/table.ts";
import { formatProblem as formatPlacedProblem, headline } from "../datasets/format-problem.ts";
import { ADMINISTRATOR_COMMANDS, SET_UP_COMMANDS } from "./administrator/administrator-commands.ts";
import { CommandContext } from "./command-context.ts";
import { DATA_COMMANDS } from "./datasets/data-commands.ts";
import { DECISION_LOG_COMMANDS } from "./decision-log/decision-log-commands.ts";
import { splitItemFlags } from "./item-flags.ts";
import { HISTORY_COMMANDS } from "./log/history-commands.ts";
import { JOURNAL_COMMANDS } from "./log/journal-commands.ts";
import { SERVICE_COMMANDS } from "./service-commands.ts";
import { MAINTENANCE_COMMANDS } from "./store/maintenance-commands.ts";

/** Every configuration item is a flag, beside those of a command. */
const ITEM_FLAGS: readonly string[] = ALL_ITEMS.map(({ name }) => `--${name}`);

/** Runs one command line; resolves with the exit code. Writes errors to standard error, never a stack trace. */
export async function runAuthorizer(
  args: readonly string[],
  edge: ProcessEdge,
  env: Environment = readEnvironment(),
): Promise<number> {
  const { rest, flags } = splitItemFlags(args);
  const context = new CommandContext(edge, env, flags);
  const program = buildProgram(context);
  try {
    await program.parseAsync(booleanSwitches(program, rest), { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/** All commands. Loads no module of a command: most commands need only a part of the service. */
function buildProgram(context: CommandContext): Command {
  const description = "Authorization sidecar and policy decision point for versioned-data services.";
  const program = newProgram("svc-authorizer", description, context);
  const commands = [
    ...SERVICE_COMMANDS,
    ...DATA_COMMANDS,
    ...ADMINISTRATOR_COMMANDS,
    SET_UP_COMMANDS,
    ...HISTORY_COMMANDS,
    JOURNAL_COMMANDS,
    ...MAINTENANCE_COMMANDS,
    DECISION_LOG_COMMANDS,
  ];
  addCommands(program, commands, context, "operations.md");
  addOptions(program, [{ flags: "-v, --version", description: "print the version" }], GLOBAL_HEADING);
  withHelpCommand(program).action(() => {
    if (program.opts()["version"] === true) return context.out(`${VERSION}\n`);
    refuseUnknownWord(program);
    finishWithoutCommand(program, context);
  });
  return program.addHelpText(
    "after",
    [
      "",
      "Every configuration item is also a flag: --logging.level DEBUG, --database.type=mem.",
      "All items: svc-authorizer config docs",
      "",
      "Examples:",
      "  svc-authorizer run --quickstart             try it: no configuration, loopback only",
      "  svc-authorizer run --config authorizer.yaml",
      "  svc-authorizer help setup                   options and examples of a command",
      "",
      "Read on: README.md and docs/ in the repository, docs/first-steps.md first",
    ].join("\n"),
  );
}

function reportFailure(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    // Help on a word that is no command was written already.
    if (error.code !== "commander.help") context.err(`error: ${usageText(error, ITEM_FLAGS)}\n`);
    return EXIT.usage;
  }
  if (error instanceof UsageFailure) {
    context.err([`error: ${error.message}`, ...error.hints, ""].join("\n"));
    return EXIT.usage;
  }
  if (error instanceof ConfigError) {
    for (const warning of error.warnings) context.err(`warning: ${formatProblem(warning)}\n`);
    for (const problem of error.problems) context.err(`${formatProblem(problem)}\n`);
    context.err(`${countOf(error.problems.length, "problem")}; nothing was started\n`);
    return EXIT.usage;
  }
  if (error instanceof AuthorizerError) {
    for (const problem of error.problems) context.err(`${formatPlacedProblem(problem)}\n`);
    context.err(`error: ${headline(error)}\n`);
    return error.code === "invalid_request" ? EXIT.usage : EXIT.failed;
  }
  context.err(`error: ${messageOf(error)}\n`);
  return EXIT.failed;
}
