/** Implements `svc-authorizer journal lost show`. */

import { readLostFile } from "../../../compose/store/lost-file.ts";
import type { LostLine } from "../../../journal/lost-entries.ts";
import type { Touched } from "../../../store/port.ts";
import { EXIT } from "../../exit-codes.ts";
import { type CommandCall, flagsOf } from "../command.ts";

interface LostFlags {
  readonly file: string;
  readonly json?: boolean;
}

/** The command on the command line. Values of records are never printed: some are secrets. */
export async function journalLostShow(call: CommandCall): Promise<void> {
  const { file, json = false } = flagsOf<LostFlags>(call);
  const { context } = call;
  for await (const line of readLostFile(file)) {
    if (json) context.out(`${JSON.stringify(withoutValue(line))}\n`);
    else context.out(`${textOf(line)}\n`);
  }
  context.finish(EXIT.ok);
}

function withoutValue(line: LostLine): object {
  if (line.kind !== "put") return line;
  const { value: _, ...rest } = line;
  return rest;
}

function textOf(line: LostLine): string {
  switch (line.kind) {
    case "lost": {
      const past =
        line.common === null ? "it is not known what was kept" : `kept up to revision ${line.common}`;
      return `log ${line.log.slice(0, 8)} lost entries up to revision ${line.to} (noticed at ${line.at}; ${past})`;
    }
    case "entry": {
      const { revision, at = "at an unknown time", useCases } = line;
      const what = useCases?.map(({ actor, touched }) => `${actor ?? "the service"}: ${namesOf(touched)}`);
      return `${revision} ${at} ${what === undefined ? "not known" : what.join("; ") || "upkeep"}`;
    }
    case "put":
      return `+ ${line.partition} ${JSON.stringify(line.key)} (revision ${line.version})`;
    case "delete":
      return `- ${line.partition} ${JSON.stringify(line.key)}`;
    case "end":
      return `${line.entries} entries lost, ${line.records} records differ: look at each and make it again where it still holds`;
  }
}

function namesOf(touched: Touched | undefined): string {
  if (touched === undefined) return "nothing by name";
  if (touched.all === true) return "anything";
  const { users = [], groups = [], policies = [], resources = [] } = touched;
  const named = [
    ...users.map((name) => `user ${name}`),
    ...groups.map((name) => `group ${name}`),
    ...policies.map((name) => `policy ${name}`),
    ...resources.map((name) => `resource ${name}`),
  ];
  return named.join(", ") || "nothing by name";
}
