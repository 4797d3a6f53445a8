/** Reading of a file of lost entries (spec/journal §3). */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { LostChanges, LostEntry } from "../../directory/lost-changes.ts";
import type { LostHead, LostLine } from "../../journal/lost-entries.ts";
import type { RecordName, Touched, VersionedRecord } from "../../store/port.ts";

/** A line of the file, as it is shown: values of records are left out, since some are secrets. */
interface ShownLine {
  readonly json: object;
  readonly text: string;
}

/**
 * The lines of a file that a node wrote when its log went back.
 * @throws AuthorizerError "invalid_request" for a file that is none, or not whole
 */
export async function* shownLines(file: string): AsyncGenerator<ShownLine> {
  for await (const line of readLostFile(file)) yield { json: withoutValue(line), text: textOf(line) };
}

/**
 * Everything in such a file, to be made again.
 * @throws AuthorizerError "invalid_request" as {@link shownLines}, and where the file does not say what the log kept
 */
export async function lostChangesOf(file: string): Promise<LostChanges> {
  const entries: LostEntry[] = [];
  const puts: VersionedRecord[] = [];
  const removed: RecordName[] = [];
  let head: LostHead | undefined;
  for await (const line of readLostFile(file)) {
    if (line.kind === "lost") head = line;
    else if (line.kind === "entry") entries.push({ revision: line.revision, useCases: line.useCases });
    else if (line.kind === "put") puts.push(line);
    else if (line.kind === "delete") removed.push(line);
  }
  const { log = "", common, commonId } = head ?? {};
  if (typeof common !== "number" || typeof commonId !== "string") {
    const message = `${file} does not say which entries the log kept: compare and make them again yourself`;
    throw new AuthorizerError("invalid_request", message);
  }
  return { log, common: { revision: common, id: commonId }, entries, puts, removed };
}

async function* readLostFile(file: string): AsyncGenerator<LostLine> {
  let last: LostLine | undefined;
  for await (const text of createInterface({ input: opened(file) })) {
    const line = lineOf(text, file);
    if (last === undefined && line.kind !== "lost") throw notOne(file);
    last = line;
    yield line;
  }
  if (last?.kind === "end") return;
  throw last === undefined ? notOne(file) : new AuthorizerError("invalid_request", `${file} is cut short`);
}

function opened(file: string) {
  const stream = createReadStream(file);
  stream.on("error", () => undefined);
  return stream;
}

function lineOf(text: string, file: string): LostLine {
  try {
    return JSON.parse(text) as LostLine;
  } catch (cause) {
    throw new AuthorizerError("invalid_request", `${file} has a line that is no JSON`, { cause });
  }
}

function notOne(file: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `${file} has no lost entries, or cannot be read`);
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
      return `${line.entries} entries lost, ${line.records} records differ: svc-authorizer journal lost apply says what of it still fits`;
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
