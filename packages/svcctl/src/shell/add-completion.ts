/** `svcctl completion`, and the hidden command that the scripts ask. */

import { addExamples } from "@svc-authorizer/commands/add-commands.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { SHELLS, type Shell } from "./completion-scripts.ts";

/** The hidden command. */
const COMPLETE_COMMAND = "__complete";

/** Adds both commands. */
export function addCompletion(program: Command, context: CommandContext): void {
  const completion = program
    .command("completion")
    .description("Writes a completion script for bash, zsh or fish.")
    .argument("[shell]", SHELLS.join(", "))
    .allowExcessArguments()
    .action(async (_shell: string | undefined, _options: unknown, command: Command) => {
      const { completionScript } = await import("./completion-scripts.ts");
      context.out(completionScript(shellOf(command.args)));
    });
  addExamples(
    completion,
    ["source <(svcctl completion bash)", "svcctl completion fish | source"],
    "svcctl.md",
  );
  program
    .command(COMPLETE_COMMAND, { hidden: true })
    .argument("[words...]")
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const [{ completionsOf }, { nameSource }] = await Promise.all([
        import("./completions.ts"),
        import("./name-source.ts"),
      ]);
      const found = await completionsOf(program, words, nameSource(context, words));
      context.out(found.map((one) => `${one.word}\t${one.description}\n`).join(""));
    });
}

function shellOf(args: readonly string[]): Shell {
  const [shell] = args;
  if (args.length !== 1) throw new UsageFailure(`accepts 1 arg(s), received ${args.length}`);
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) {
    throw new UsageFailure(`invalid argument ${JSON.stringify(shell)} for "svcctl completion"`);
  }
  return known;
}
