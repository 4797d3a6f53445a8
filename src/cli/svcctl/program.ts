/** The command line of svcctl: what commands there are, and how one command line runs. */

import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { type Environment, readEnvironment } from "../../config/environment.ts";
import { closestName } from "../../config/suggest.ts";
import { addCommands, addExamples, printsHelp } from "./add-commands.ts";
import { addOptions, toOptions } from "./add-options.ts";
import { AUTH_GROUP } from "./auth/auth-group.ts";
import { booleanSwitches } from "./boolean-switches.ts";
import { CommandContext } from "./command-context.ts";
import { UsageFailure, unknownFlagText } from "./failure.ts";
import { GLOBAL_HEADING, GLOBAL_OPTIONS, globalOptionsOf } from "./global-options.ts";
import { addPolicyCommands } from "./policy/add-policy-commands.ts";
import { reportFailure } from "./report-failure.ts";
import { addCompletion } from "./shell/add-completion.ts";
import { suggestCommand } from "./suggest-command.ts";
import type { SvcctlEdge } from "./svcctl-edge.ts";
import { TOP_COMMANDS } from "./top-commands.ts";

const VERSION = (
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** The page of `docs/` about svcctl. */
const GUIDE = "svcctl.md";
const FIRST_CALLS = [
  "svcctl config",
  "svcctl auth users create --id bob",
  "svcctl auth can --user bob --action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv --explain",
  "svcctl policy lint policies/*.json",
];

/** Runs one command line; resolves with the exit code. Failures are written to standard error, never with a stack. */
export async function runSvcctl(
  args: readonly string[],
  edge: SvcctlEdge,
  env: Environment = readEnvironment(),
): Promise<number> {
  const context = new CommandContext(edge, env, VERSION);
  const program = buildProgram(context);
  try {
    await program.parseAsync(booleanSwitches(program, args), { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/** All commands, as help, completion and the reference see them; none of their modules is loaded. */
export function buildProgram(context: CommandContext): Command {
  const program = new Command("svcctl");
  program
    .description("Manages users, groups and policies, and works on policies offline.")
    .enablePositionalOptions()
    .exitOverride()
    .addHelpOption(new Option("-h, --help", "print help").helpGroup(GLOBAL_HEADING))
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trimEnd() })
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      outputError: () => undefined,
      getOutHelpWidth: () => context.edge.stdout.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .hook("preAction", (_, command) => context.useOptions(globalOptionsOf(command)));
  addCommands(program, [AUTH_GROUP, ...TOP_COMMANDS], context, GUIDE);
  addPolicyCommands(program, context);
  addCompletion(program, context);
  addRootAction(program, context);
  addExamples(program, FIRST_CALLS, GUIDE);
  withGlobalOptions(program);
  return program;
}

/** What help shows after a command's name: every command has options, so only its arguments. */
function argumentsOf(command: Command): string {
  const terms = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return terms.join(" ");
}

/** svcctl itself: its help, its version, or a word it does not know. */
function addRootAction(program: Command, context: CommandContext): void {
  printsHelp(program, context);
  addOptions(
    program,
    [{ flags: "-v, --version", description: "print the version (svcctl alone)" }],
    GLOBAL_HEADING,
  );
  program.allowUnknownOption().action(async () => {
    const [word] = program.args;
    if (word?.startsWith("-")) throw unknownFlag(program, word);
    if (word !== undefined) throw unknownCommand(program, word);
    if (program.opts()["version"] !== true) return program.outputHelp();
    const { printVersion } = await import("./version.ts");
    await printVersion(context);
  });
}

function unknownFlag(program: Command, word: string): UsageFailure {
  const flag = word.replace(/=[\s\S]*$/, "");
  const known = program.options.flatMap(({ long }) => long ?? []);
  const meant = flag.startsWith("--") ? closestName(flag, known) : undefined;
  return new UsageFailure(unknownFlagText(word), meant === undefined ? [] : [`(Did you mean ${meant}?)`]);
}

function unknownCommand(program: Command, word: string): UsageFailure {
  return new UsageFailure(`unknown command ${JSON.stringify(word)} for "svcctl"`, [
    ...suggestCommand(program, word),
    "Run 'svcctl --help' for usage.",
  ]);
}

/** Every command takes the global options, wherever on the line they stand; an option of its own comes first. */
function withGlobalOptions(command: Command, options = toOptions(GLOBAL_OPTIONS, GLOBAL_HEADING)): void {
  const taken = new Set(command.options.flatMap((option) => [option.short, option.long]));
  for (const option of options) {
    if (!taken.has(option.long) && !(option.short && taken.has(option.short))) command.addOption(option);
  }
  for (const child of command.commands) withGlobalOptions(child, options);
}
