/** From commands given as data to commander's. */

import { Command } from "commander";
import { suggestion } from "../../config/suggest.ts";
import { addOptions } from "./add-options.ts";
import type { CommandContext } from "./command-context.ts";
import type { CommandSpec, GroupSpec, OptionSpec, OptionValues } from "./command-spec.ts";
import { UsageFailure } from "./failure.ts";

/** Adds commands and groups below `parent`, whose help leads to a page of `docs/`. */
export function addCommands(
  parent: Command,
  specs: readonly (CommandSpec | GroupSpec)[],
  context: CommandContext,
  page: string,
): void {
  for (const spec of specs) {
    if ("load" in spec) addCommand(parent, spec, context, page);
    else addGroup(parent, spec, context, page);
  }
}

/** Adds a group, which prints its help when it is called without a command of its own, also for an unknown word. */
function addGroup(parent: Command, spec: GroupSpec, context: CommandContext, page: string): void {
  const group = parent.command(spec.name).description(spec.description);
  addCommands(group, spec.commands, context, page);
  addExamples(
    group,
    spec.commands.map((one) => exampleOf(one, `${pathOf(group)} ${one.name}`)),
    page,
  );
  printsHelp(group, context);
}

/** Makes a group print its help and succeed, as the original does (management-cli.md §1). */
export function printsHelp(group: Command, context: CommandContext): void {
  group
    .helpCommand("help [command]", "Prints the help of a command.")
    .argument("[command]")
    .allowExcessArguments()
    .usage("[command]")
    .action((word: string | undefined) => {
      if (word !== undefined) {
        const names = group.commands.map((command) => command.name());
        context.err(
          `unknown command ${JSON.stringify(word)} for "${pathOf(group)}"${suggestion(word, names)}\n`,
        );
      }
      group.outputHelp();
    });
}

function addCommand(parent: Command, spec: CommandSpec, context: CommandContext, page: string): void {
  const { options = [] } = spec;
  const command = new Command(spec.name).copyInheritedSettings(parent);
  command.description(spec.description).allowExcessArguments();
  if (spec.arguments !== undefined) command.arguments(spec.arguments);
  addOptions(command, options);
  command.action(async () => {
    checkRequired(options, command.opts());
    const run = await spec.load();
    await run({ context, options: command.opts(), args: command.args, command });
  });
  parent.addCommand(command);
  addExamples(
    command,
    spec.examples.map((example) => `${pathOf(command)} ${example}`.trimEnd()),
    page,
  );
}

/** The most usual call of a command, or of the first command of a group. */
function exampleOf(spec: CommandSpec | GroupSpec, path: string): string {
  if ("load" in spec) return `${path} ${spec.examples[0] ?? ""}`.trimEnd();
  const [first] = spec.commands;
  return first === undefined ? path : exampleOf(first, `${path} ${first.name}`);
}

/** Puts whole command lines below the help of a command, and where to read on. */
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

function checkRequired(specs: readonly OptionSpec[], values: OptionValues): void {
  const missing = specs
    .filter((spec) => spec.required === true)
    .map((spec) => /--([a-z-]+)/.exec(spec.flags)?.[1] ?? spec.flags)
    .filter((name) => values[camelCase(name)] === undefined)
    .sort();
  if (missing.length === 0) return;
  throw new UsageFailure(`required flag(s) ${missing.map((name) => `"${name}"`).join(", ")} not set`);
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `svcctl auth users`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
