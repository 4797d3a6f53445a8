/** Implements `svc-authorizer journal lost show`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { shownLines } from "../../compose/store/lost-file.ts";
import { type CommandCall, flagsOf } from "../command.ts";

interface LostFlags {
  readonly file: string;
  readonly json?: boolean;
}

/** The command on the command line. */
export async function journalLostShow(call: CommandCall): Promise<void> {
  const { file, json = false } = flagsOf<LostFlags>(call);
  const { context } = call;
  await context.outLines(linesOf(file, json));
  context.finish(EXIT.ok);
}

async function* linesOf(file: string, isJson: boolean): AsyncGenerator<string> {
  for await (const { json, text } of shownLines(file)) yield isJson ? JSON.stringify(json) : text;
}
