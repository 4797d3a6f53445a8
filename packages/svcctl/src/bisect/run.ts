/** `svcctl bisect run`. */

import { spawn } from "node:child_process";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { say } from "../local/compare/compare-folder.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { afterTest, commitToTest, loadState, saveState, statusText, type Verdict } from "./bisect-state.ts";

/** Names for fields of a commit in the arguments, as `:BISECT_ID:`, and in the variables of the command that tests it. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["BISECT_ID", "id"],
  ["BISECT_MESSAGE", "message"],
  ["BISECT_METARANGE_ID", "meta_range_id"],
  ["BISECT_COMMITTER", "committer"],
]);

/** Runs a command for each commit to test: exit code 0 says that it is good. */
export async function run(call: CommandCall): Promise<void> {
  const { context } = call;
  let state = await loadState(context);
  for (let commit = commitToTest(state); commit !== undefined; commit = commitToTest(state)) {
    const shown = `[${safeText(textField(commit, "id"))}] ${safeText(textField(commit, "message"))}`;
    say(call, `== Commit ${shown}\n`);
    const verdict = await verdictOn(context, commit, call.args);
    say(call, `-- ${verdict.toUpperCase()} ${shown}\n`);
    state = afterTest(state, verdict);
    await saveState(context, state);
  }
  await printObject(call, state, () => statusText(state));
}

function verdictOn(context: CommandContext, commit: JsonObject, args: readonly string[]): Promise<Verdict> {
  const values = new Map([...NAMES].map(([name, field]) => [name, textField(commit, field)]));
  const [program = "", ...rest] = args.map((arg, index) =>
    index === 0 ? arg : arg.replace(/:(BISECT_\w+):/g, (whole, name: string) => values.get(name) ?? whole),
  );
  const env = { ...context.env, ...Object.fromEntries(values) };
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { cwd: context.edge.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => context.edge.stdout.write(chunk));
    child.stderr.on("data", (chunk: Buffer) => context.edge.stderr.write(chunk));
    // A command that cannot be run says nothing about a commit.
    child.on("error", (error) => reject(new Error(`${program}: ${error.message}`, { cause: error })));
    child.on("close", (code) => resolve(code === 0 ? "good" : "bad"));
  });
}
