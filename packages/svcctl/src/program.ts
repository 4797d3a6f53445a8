/** The command line of svcctl: which commands there are, and how one command line runs. */

import {
  addCommands,
  addExamples,
  finishWithoutCommand,
  withHelpCommand,
} from "@svc-authorizer/commands/add-commands.ts";
import { addOptions, toOptions } from "@svc-authorizer/commands/add-options.ts";
import { booleanSwitches } from "@svc-authorizer/commands/boolean-switches.ts";
import { type Environment, readEnvironment } from "@svc-authorizer/commands/environment.ts";
import { GLOBAL_HEADING, newProgram, VERSION } from "@svc-authorizer/commands/new-program.ts";
import { refuseUnknownWord } from "@svc-authorizer/commands/unknown-word.ts";
import type { Command } from "commander";
import { ABUSE_GROUP } from "./abuse/abuse-group.ts";
import { ACCESS_GROUP } from "./access/access-group.ts";
import { ACTIONS_GROUP } from "./actions/actions-group.ts";
import { APPLY_COMMANDS } from "./apply/apply-commands.ts";
import { AUDIT_GROUP } from "./audit/audit-group.ts";
import { AUTH_GROUP } from "./auth/auth-group.ts";
import { BISECT_GROUP } from "./bisect/bisect-group.ts";
import { BRANCH_GROUP } from "./branch/branch-group.ts";
import { BRANCH_PROTECT_GROUP } from "./branch-protect/branch-protect-group.ts";
import { CommandContext } from "./command-context.ts";
import { COMMIT_COMMANDS } from "./commits/commit-commands.ts";
import { DECISIONS_GROUP } from "./decisions/decisions-group.ts";
import { FS_GROUP } from "./fs/fs-group.ts";
import { GC_GROUP } from "./gc/gc-group.ts";
import { GLOBAL_OPTIONS, globalOptionsOf } from "./global-options.ts";
import { IMPORT_COMMANDS } from "./import/ingest-commands.ts";
import { LOCAL_GROUP } from "./local/local-group.ts";
import { METASTORE_GROUP } from "./metastore/metastore-group.ts";
import { MIRROR_GROUP } from "./mirror/mirror-group.ts";
import { OBJECT_COMMANDS } from "./objects/object-commands.ts";
import { PLUGIN_GROUP } from "./plugin/plugin-group.ts";
import { PLUMBING_COMMANDS } from "./plumbing/plumbing-commands.ts";
import { POLICY_GROUP } from "./policy/policy-group.ts";
import { REPO_GROUP } from "./repo/repo-group.ts";
import { reportFailure } from "./report-failure.ts";
import { SHADOW_GROUP } from "./shadow/shadow-group.ts";
import { addCompletion } from "./shell/add-completion.ts";
import type { SvcctlEdge } from "./svcctl-edge.ts";
import { TAG_GROUP } from "./tag/tag-group.ts";
import { TOP_COMMANDS } from "./top-commands.ts";

/** The page of `docs/` about svcctl. */
const GUIDE = "svcctl.md";
const FIRST_CALLS = [
  "svcctl config",
  "svcctl auth users create --id bob",
  "svcctl auth can --user bob --action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv --explain",
  "svcctl policy lint policies/*.json",
];

/** Commands of a data server. */
const ON_REPOSITORIES = [
  REPO_GROUP,
  BRANCH_GROUP,
  BRANCH_PROTECT_GROUP,
  TAG_GROUP,
  ...COMMIT_COMMANDS,
  FS_GROUP,
  ...OBJECT_COMMANDS,
  LOCAL_GROUP,
  ...IMPORT_COMMANDS,
  ACTIONS_GROUP,
  GC_GROUP,
  METASTORE_GROUP,
];

/** Runs one command line; resolves with the exit code. Failures are written to standard error, never with a stack. */
export async function runSvcctl(
  args: readonly string[],
  edge: SvcctlEdge,
  env: Environment = readEnvironment(),
): Promise<number> {
  const context = new CommandContext(edge, env, VERSION);
  const program = buildProgram(context, args);
  try {
    const plugin = await pluginOf(program, args, env);
    if (plugin !== undefined) {
      const { runPlugin } = await import("./plugin/run-plugin.ts");
      return await runPlugin(context, plugin, args.slice(1));
    }
    await program.parseAsync(booleanSwitches(program, args), { from: "user" });
    return context.exitCode;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/** The plugin that the first word stands for. A command of svcctl takes precedence. */
async function pluginOf(
  program: Command,
  [word = "-"]: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  const isKnown = program.commands.some((command) => [command.name(), ...command.aliases()].includes(word));
  if (word.startsWith("-") || word === "help" || isKnown) return undefined;
  const { findPlugin } = await import("./plugin/find-plugins.ts");
  return findPlugin(word, env);
}

/**
 * All commands, as help, completion and the reference see them. Loads no module of a command.
 * @param words of a command line: only the commands that they name have the global options then
 */
export function buildProgram(context: CommandContext, words?: readonly string[]): Command {
  const description = "Manages users, groups, policies and repositories, and works on policies offline.";
  const program = newProgram("svcctl", description, context, context.edge.stdout.columns);
  program.hook("preAction", (_, command) => context.useOptions(globalOptionsOf(command)));
  addCommands(
    program,
    [
      AUTH_GROUP,
      POLICY_GROUP,
      ...APPLY_COMMANDS,
      DECISIONS_GROUP,
      ACCESS_GROUP,
      SHADOW_GROUP,
      AUDIT_GROUP,
      MIRROR_GROUP,
      ...ON_REPOSITORIES,
      ...TOP_COMMANDS,
      ...PLUMBING_COMMANDS,
      ABUSE_GROUP,
      BISECT_GROUP,
      PLUGIN_GROUP,
    ],
    context,
    GUIDE,
  );
  addCompletion(program, context);
  addRootAction(program, context);
  addExamples(program, FIRST_CALLS, GUIDE);
  withGlobalOptions(program, words && new Set(words));
  return program;
}

/** svcctl itself: its help, its version, or a word it does not know. */
function addRootAction(program: Command, context: CommandContext): void {
  addOptions(
    program,
    [{ flags: "-v, --version", description: "print the version (svcctl alone)" }],
    GLOBAL_HEADING,
  );
  withHelpCommand(program).action(async () => {
    refuseUnknownWord(program);
    if (program.opts()["version"] !== true) return finishWithoutCommand(program, context);
    const { printVersion } = await import("./version.ts");
    await printVersion(context);
  });
}

/**
 * Adds the global options to a command and to those below it that the words name: with all commands, that took a tenth
 * of a start. An option that a command declares itself takes precedence.
 */
function withGlobalOptions(
  command: Command,
  words: ReadonlySet<string> | undefined,
  options = toOptions(GLOBAL_OPTIONS, GLOBAL_HEADING),
): void {
  const taken = new Set(command.options.flatMap((option) => [option.short, option.long]));
  for (const option of options) {
    if (!taken.has(option.long) && !(option.short && taken.has(option.short))) command.addOption(option);
  }
  for (const child of command.commands) {
    const isNamed = words === undefined || [child.name(), ...child.aliases()].some((name) => words.has(name));
    if (isNamed) withGlobalOptions(child, words, options);
  }
}
