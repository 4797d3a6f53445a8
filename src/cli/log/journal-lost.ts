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
  for await (const line of shownLines(file)) {
    context.out(`${json ? JSON.stringify(line.json) : line.text}\n`);
  }
  context.finish(EXIT.ok);
}
