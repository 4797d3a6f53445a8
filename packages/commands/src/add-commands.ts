/** Builds commander's commands from commands given as data. */

import { Command } from "commander";
import { addOptions } from "./add-options.ts";
import type {
  ArgumentSpec,
  CommandOutput,
  CommandSpec,
  GroupSpec,
  OptionSpec,
  OptionValues,
} from "./command-spec.ts";
import { UsageFailure } from "./failure.ts";
import { pathOf } from "./new-program.ts";
import { refuseUnknownWord } from "./unknown-word.ts";

/** Adds commands and groups below `parent`; their help names a page of `docs/`. */
export function addCommands<Context extends CommandOutput>(
  parent: Command,
  specs: readonly (CommandSpec<Context> | GroupSpec<Context>)[],
  context: Context,
  page: string,
): void {
  for (const spec of specs) {
    if ("load" in spec) addCommand(parent, spec, context, spec.page ?? page);
    else addGroup(parent, spec, context, spec.page ?? page);
  }
}

/** Adds a group. An unknown word is an error (spec/management-cli §8.6). */
function addGroup<Context extends CommandOutput>(
  parent: Command,
  spec: GroupSpec<Context>,
  context: Context,
  page: string,
): void {
  const group = parent.command(spec.name).description(spec.description);
  addCommands(group, spec.commands, context, page);
  addExamples(
    group,
    spec.commands.map((one) => exampleOf(one, `${pathOf(group)} ${one.name}`)),
    page,
  );
  withHelpCommand(group).action(() => {
    refuseUnknownWord(group);
    finishWithoutCommand(group, context);
  });
}

/** Prints the help of a program or group that is called without a command: to standard error if that is a failure. */
export function finishWithoutCommand(group: Command, context: CommandOutput): void {
  const code = context.codeWithoutCommand;
  context.finish(code);
  group.outputHelp({ error: code !== 0 });
}

/**
 * Gives a group `help [command]`, and leaves words and flags that it does not know to its action, so that a mistyped
 * command is named although flags follow it.
 */
export function withHelpCommand(group: Command): Command {
  return group
    .helpCommand("help [command]", "Prints the help of a command.")
    .argument("[command]")
    .allowExcessArguments()
    .allowUnknownOption()
    .usage("[command]");
}

function addCommand<Context extends CommandOutput>(
  parent: Command,
  spec: CommandSpec<Context>,
  context: Context,
  page: string,
): void {
  const { options = [] } = spec;
  const command = new Command(spec.name).copyInheritedSettings(parent);
  const countedHere = spec.argumentCount !== undefined;
  command.description(spec.description).allowExcessArguments(countedHere || context.ignoresFurtherArguments);
  addArguments(command, spec);
  addOptions(command, options);
  if (spec.passThrough === true) command.passThroughOptions();
  command.action(async () => {
    const args = withLeftOut(spec, command.args, context);
    checkCount(spec, args.length);
    checkRequired(options, command.opts());
    const run = await spec.load();
    await run({ context, options: command.opts(), args, command });
  });
  parent.addCommand(command);
  const { helpLines } = spec;
  if (helpLines !== undefined) command.addHelpText("after", () => ["", ...helpLines()].join("\n"));
  addExamples(
    command,
    spec.examples.map((example) => exampleLine(pathOf(command), example)),
    page,
  );
}

/** The most usual call of a command, or of the first command of a group. */
function exampleOf<Context>(spec: CommandSpec<Context> | GroupSpec<Context>, path: string): string {
  if ("load" in spec) return exampleLine(path, spec.examples[0] ?? "");
  const [first] = spec.commands;
  return first === undefined ? path : exampleOf(first, `${path} ${first.name}`);
}

/** `svcctl auth users list --amount 20`. Variables that an example sets (`NAME=… `) stand before the path. */
function exampleLine(path: string, example: string): string {
  const { variables = "", rest = "" } =
    /^(?<variables>(?:[A-Z_]+=\S+ )*)(?<rest>[\s\S]*)$/.exec(example)?.groups ?? {};
  return `${variables}${path} ${rest}`.trimEnd();
}

/** Puts whole command lines below the help of a command, and the page to read. */
export function addExamples(command: Command, lines: readonly string[], page: string): void {
  const text = [
    "",
    "Examples:",
    ...lines.map((line) => `  ${line}`),
    "",
    `Read on: docs/${page} in the repository`,
  ];
  command.addHelpText("after", text.join("\n"));
}

/** Declares the arguments. Where their number is checked here, commander, which says less, takes all as optional. */
function addArguments(command: Command, { arguments: form, argumentCount }: ArgumentSpec): void {
  if (form === undefined) return;
  if (argumentCount === undefined) command.arguments(form);
  else command.arguments(form.replace(/<([^>]*)>/g, "[$1]")).usage(`[options] ${form}`);
}

/** The arguments, with the first one from the context where exactly that one may be missing. */
function withLeftOut(
  { arguments: form = "", argumentCount: [least] = [0, 0], mustName }: ArgumentSpec,
  args: readonly string[],
  context: CommandOutput,
): readonly string[] {
  if (args.length + 1 !== least || mustName === true) return args;
  const [first = "", ...others] = [...form.matchAll(/<([^>]+)>/g)].map(([, name = ""]) => name);
  // With two of a kind, nobody knows which one was meant.
  const value = others.some((name) => KIND.exec(name)?.[0] === KIND.exec(first)?.[0])
    ? undefined
    : context.leftOut?.(first);
  return value === undefined ? args : [value, ...args];
}

/** The last part of an argument's name: `uri` of `branch-uri`. */
const KIND = /[a-z]+$/;

function checkCount({ argumentCount }: ArgumentSpec, count: number): void {
  if (argumentCount === undefined) return;
  const [least, most] = argumentCount;
  if (count >= least && count <= most) return;
  if (least === most) throw new UsageFailure(`accepts ${least} arg(s), received ${count}`);
  if (most === Number.POSITIVE_INFINITY) {
    throw new UsageFailure(`requires at least ${least} arg(s), only received ${count}`);
  }
  throw new UsageFailure(`accepts between ${least} and ${most} arg(s), received ${count}`);
}

function checkRequired(specs: readonly OptionSpec[], values: OptionValues): void {
  const missing = specs
    .filter(
      ({ required, unless }) => required === true && (unless === undefined || values[unless] === undefined),
    )
    .map((spec) => /--([a-z-]+)/.exec(spec.flags)?.[1] ?? spec.flags)
    .filter((name) => values[camelCase(name)] === undefined)
    .sort();
  if (missing.length === 0) return;
  throw new UsageFailure(`required flag(s) ${missing.map((name) => `"${name}"`).join(", ")} not set`);
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
