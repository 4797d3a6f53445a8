/** `svcctl policy replay`. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type OptionValues, textOption } from "@svc-authorizer/commands/command-spec.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { isMissing, PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { readRecords } from "@svc-authorizer/policy/records/replay/read-records.ts";
import { type PoliciesOf, Replay, type ReplayReport } from "@svc-authorizer/policy/records/replay/replay.ts";
import type { CommandCall } from "../../command.ts";
import type { CommandContext } from "../../command-context.ts";
import { decisionFilters } from "../../decisions/decision-filters.ts";
import { jsonText } from "../../output/json-text.ts";
import { addDocument } from "../documents-in-world.ts";
import { needPolicies } from "../load-policies.ts";
import { Recording } from "./partly-recorded.ts";
import { markdownReport, textReport } from "./replay-report.ts";
import { directoryAt, serverRecords } from "./server-records.ts";

/** Decides recorded requests again, and prints what changes. */
export async function replay({ context, options }: CommandCall): Promise<void> {
  const partition = textOption(options, "partition") ?? "svc";
  const { records, recordingOf } = recordsOf(context, options);
  const [before, after] = await Promise.all([
    worldOf(context, textOption(options, "from") as string, partition),
    worldOf(context, textOption(options, "to") as string, partition),
  ]);
  const recording = await read(recordingOf);
  const report: ReplayReport = {
    ...(await replayed(
      recording.watch(records),
      new Replay({
        partition,
        before: policiesOf(before.world),
        after: policiesOf(after.world),
        examples: options["examples"] as number,
      }),
    )),
    ...changedProperties(before, after),
    ...recording.report(),
  };
  if (report.records === 0) throw new AuthorizerError("unavailable", "the decision log has no records");
  if (options["json"] === true) context.out(jsonText(report));
  else context.out(options["markdown"] === true ? markdownReport(report) : textReport(report, context.style));
  const wider = report.wider > 0 && options["allowWidening"] !== true;
  const narrower = report.narrower > 0 && options["allowNarrowing"] !== true;
  context.finish(wider || narrower ? EXIT.failed : EXIT.ok);
}

/** Records, and how they were recorded. */
interface Source {
  readonly records: AsyncIterable<LoggedDecision>;
  readonly recordingOf: () => Promise<Recording>;
}

/** The records of a folder or of the server: exactly one of them is asked for. */
function recordsOf(context: CommandContext, options: OptionValues): Source {
  const directory = textOption(options, "log");
  const fromServer = options["server"] === true;
  if ((directory === undefined) !== fromServer) {
    throw new UsageFailure("give one of --log <dir> and --server");
  }
  const { since, until } = decisionFilters(options);
  if (directory === undefined) {
    const records = serverRecords(context, {
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    });
    return { records, recordingOf: () => Recording.ofServer(context) };
  }
  if (since !== undefined || until !== undefined) {
    throw new UsageFailure("--since and --until select records of --server");
  }
  const folder = resolve(context.edge.cwd, directory);
  return { records: readRecords(folder), recordingOf: () => Recording.inFolder(folder) };
}

async function replayed(records: AsyncIterable<LoggedDecision>, work: Replay): Promise<ReplayReport> {
  await read(async () => {
    for await (const record of records) work.add(record);
  });
  return work.report();
}

/** Reads from the log; throws ApiFailure, and "unavailable" where it cannot be read. */
async function read<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ApiFailure) throw cause;
    const reason = messageOf(cause);
    throw new AuthorizerError("unavailable", `the decision log cannot be read: ${reason}`, { cause });
  }
}

/** One side of a comparison. */
interface Side {
  readonly world: PolicyWorld;
  /** False for a directory of the server, which is without properties. */
  readonly hasProperties: boolean;
}

/** The member of a report about properties; requests have those of their records. */
function changedProperties(before: Side, after: Side): Pick<ReplayReport, "changed_properties"> {
  if (!before.hasProperties || !after.hasProperties) return {};
  const changed = before.world.registered.changedIn(after.world.registered);
  return changed.users + changed.resources === 0 ? {} : { changed_properties: changed };
}

async function worldOf(context: CommandContext, path: string, partition: string): Promise<Side> {
  const world = new PolicyWorld();
  const ofServer = await isRevision(context, path);
  const documents = await (ofServer ? directoryAt(context, path) : needPolicies(context, [path]));
  for (const document of documents) await addDocument(world, document, partition);
  const { problems, users } = world;
  if (problems.length > 0) {
    throw new AuthorizerError("invalid_request", "the policies contradict each other", { problems });
  }
  if (users.length === 0) {
    const message = `${path} names no users: give a folder with a data set, such as svc-authorizer export writes`;
    throw new AuthorizerError("invalid_request", message);
  }
  return { world, hasProperties: !ofServer };
}

/** True for a revision or a position that names no file. */
async function isRevision(context: CommandContext, text: string): Promise<boolean> {
  if (!/^\d{1,15}(\.[\w-]{8}){0,2}$/.test(text)) return false;
  return (await stat(resolve(context.edge.cwd, text)).catch(() => undefined)) === undefined;
}

function policiesOf(world: PolicyWorld): PoliciesOf {
  const known = new Set(world.users);
  return (user, groups = []) => {
    if (!known.has(user) && groups.length === 0) return undefined;
    // Of a user the groups are those of the directory, and an asserted group that is gone gives nothing.
    const more = known.has(user) ? {} : { groups: groups.filter((name) => world.hasGroup(name)) };
    const held = world.heldBy(user, more);
    if (isMissing(held)) throw new AuthorizerError("invalid_request", held.join("; "));
    return held.map(({ policy }) => policy).sort((a, b) => compareUtf8(a.name, b.name));
  };
}
