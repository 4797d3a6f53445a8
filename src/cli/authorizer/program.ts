/** The command line of `svc-authorizer`: what commands there are and how their failures end. */

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { type Environment, readEnvironment } from "../../config/environment.ts";
import { ConfigError, countOf, formatProblem } from "../../config/problem.ts";
import { formatProblem as formatPlacedProblem } from "../../datasets/report.ts";
import { AuthorizerError } from "../../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { ProcessEdge } from "../process-edge.ts";
import { addAdministratorCommands } from "./add-administrator-commands.ts";
import { addConfigCommands } from "./add-config-commands.ts";
import { type CommandContext, type ConfigFlags, flagsOf, withConfigFlags } from "./command-context.ts";
import { addDataCommands } from "./data-commands.ts";
import { withExamples } from "./help-examples.ts";
import { splitItemFlags } from "./item-flags.ts";
import { addMaintenanceCommands } from "./maintenance-commands.ts";
import type { RunOptions } from "./run-command.ts";

const VERSION = (
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Runs one command line; resolves with the exit code. Writes errors to standard error, never a stack trace. */
export async function runAuthorizer(
  args: readonly string[],
  edge: ProcessEdge,
  env: Environment = readEnvironment(),
): Promise<number> {
  const { rest, flags } = splitItemFlags(args);
  let code: number = EXIT.ok;
  const context: CommandContext = {
    edge,
    env,
    itemFlags: flags,
    finish: (finished) => {
      code = finished;
    },
  };
  try {
    await buildProgram(context).parseAsync([...rest], { from: "user" });
    return code;
  } catch (error) {
    return reportFailure(error, edge);
  }
}

function reportFailure(error: unknown, edge: ProcessEdge): number {
  // Commander has written its own message; asking for help or the version is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof ConfigError) {
    for (const warning of error.warnings) edge.stderr.write(`warning: ${formatProblem(warning)}\n`);
    for (const problem of error.problems) edge.stderr.write(`${formatProblem(problem)}\n`);
    edge.stderr.write(`${countOf(error.problems.length, "problem")}; nothing was started\n`);
    return EXIT.usage;
  }
  if (error instanceof AuthorizerError) {
    for (const problem of error.problems) edge.stderr.write(`${formatPlacedProblem(problem)}\n`);
    edge.stderr.write(`error: ${error.message}\n`);
    return error.code === "invalid_request" ? EXIT.usage : EXIT.failed;
  }
  edge.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  return EXIT.failed;
}

function buildProgram(context: CommandContext): Command {
  const { edge } = context;
  const program = new Command("svc-authorizer")
    .description("Authorization sidecar and policy decision point for versioned-data services.")
    .version(VERSION, "-v, --version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => edge.stdout.write(text),
      writeErr: (text) => edge.stderr.write(text),
    })
    .addHelpText(
      "after",
      [
        "",
        "Every configuration item is a flag too: --logging.level DEBUG, --database.type=mem.",
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
  const run = withConfigFlags(program.command("run"))
    .description("start the service")
    .option("--quickstart", "without a configuration file: loopback, generated secrets, a small data set")
    .option("--data <folder>", "folder of the quick start (default ./.svc-authorizer)")
    .action(async (options: RunOptions & ConfigFlags) => {
      // Loaded only when needed: other commands answer sooner without the whole service.
      const { runService } = await import("./run-command.ts");
      context.finish(await runService(options, flagsOf(context, options), edge, context.env, VERSION));
    });
  withExamples(
    run,
    [
      "svc-authorizer run --quickstart",
      "svc-authorizer run --config authorizer.yaml",
      "svc-authorizer run --config authorizer.yaml --logging.level DEBUG",
    ],
    "operations.md",
  );
  addConfigCommands(program, context);
  addDataCommands(program, context);
  addAdministratorCommands(program, context);
  addMaintenanceCommands(program, context);
  return program;
}
