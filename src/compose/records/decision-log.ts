/** The decision log, as the configuration has it. */

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { AuthorizerError, isErrorCode, messageOf } from "@svc-authorizer/policy/errors.ts";
import { chainName } from "@svc-authorizer/policy/records/chain-files.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { Report } from "../../decision-log/chain/chain.ts";
import { DecisionIndex } from "../../decision-log/index/decision-index.ts";
import { type OpenedDecisionLog, openDecisionLog } from "../../decision-log/open-decision-log.ts";
import { noteNoRecording, noteRecording } from "../../decision-log/recorded-since.ts";
import { type DecisionLogSettings, parseInclude } from "../../decision-log/settings.ts";
import { HttpSink } from "../../decision-log/sinks/http-sink.ts";
import { NDJSON, OTLP } from "../../decision-log/sinks/sink-format.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import { type FolderLock, lockFolder } from "../../store/local/folder-lock.ts";
import type { DataParts } from "../data.ts";
import { openedOrClosed } from "../opened-or-closed.ts";

/** Largest number of processes of one node in one directory. */
const MOST_WORKERS = 64;
const FOLDER_MODE = 0o700;

/** The log of a service. */
export interface ServiceDecisionLog {
  readonly log: OpenedDecisionLog;
  readonly settings: DecisionLogSettings;
  /** Unix milliseconds since when it records with these settings. */
  readonly recordedSince: number;
  readonly index: DecisionIndex;
  readonly sinks: readonly HttpSink[];
  /** Writes everything out and gives the folder free. */
  close(): Promise<void>;
}

/** Returns the name of this node: `authorizer.node_name`, else the name of the host. */
export function nodeName(values: ConfigValues): string {
  const name = values["authorizer.node_name"] ?? hostname().replace(/[^A-Za-z0-9._-]/g, "-");
  return name.replace(/^[^A-Za-z0-9]+/, "") || "node";
}

const FOLDER = "decision-log";

/** Returns the folder of the log: the configured one, else one beside the store, which is itself a folder in the path. */
export function decisionLogDirectory(values: ConfigValues): string {
  const path = values["database.local.path"];
  // Version 0.2.0 made it beside the path, where services may often not write.
  const earlier = join(dirname(path), FOLDER);
  return values["authorizer.decision_log.directory"] ?? (existsSync(earlier) ? earlier : join(path, FOLDER));
}

function settingsOf(values: ConfigValues): Omit<DecisionLogSettings, "worker"> {
  return {
    include: parseInclude(values["authorizer.decision_log.include"]) ?? "none",
    directory: decisionLogDirectory(values),
    node: nodeName(values),
    segmentBytes: values["authorizer.decision_log.segment_bytes"],
    segmentAgeMs: values["authorizer.decision_log.segment_age"],
    keepMs: values["authorizer.decision_log.keep"],
    maxBytes: values["authorizer.decision_log.max_bytes"],
    compress: values["authorizer.decision_log.compress"],
    mask: values["authorizer.decision_log.mask"],
    whenFull: values["authorizer.decision_log.when_full"],
    sync: values["authorizer.decision_log.sync"],
    items: values["authorizer.decision_log.items"],
    secretKey: values["auth.encrypt.secret_key"] ?? "",
    formerSecretKey: values["authorizer.previous_secret_key"] ?? "",
  };
}

/**
 * Opens the log; undefined if no decisions are logged.
 * @throws AuthorizerError "unavailable" if its folder cannot be used
 */
export async function openServiceDecisionLog(
  data: DataParts,
  nextId: () => string,
  audit: AuditEvents,
): Promise<ServiceDecisionLog | undefined> {
  const shared = settingsOf(data.values);
  if (shared.include === "none") {
    stopRecording(shared, data.logger);
    return undefined;
  }
  try {
    return await openedOrClosed((opened) => openLog(data, shared, { nextId, audit, opened }));
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `the decision log cannot be written in ${shared.directory} (authorizer.decision_log.directory): ${reason}`;
    throw new AuthorizerError("unavailable", message, { cause });
  }
}

function stopRecording(
  { directory, node }: Pick<DecisionLogSettings, "directory" | "node">,
  logger: DataParts["logger"],
): void {
  try {
    noteNoRecording(directory, node);
  } catch (error) {
    const fields = { directory, reason: messageOf(error) };
    logger.warn("decisions are not recorded, and their folder cannot say so later", fields);
  }
}

/** The surroundings of a log. */
interface LogParts {
  readonly nextId: () => string;
  readonly audit: AuditEvents;
  readonly opened: AsyncDisposableStack;
}

async function openLog(
  { values, catalog, logger, revisions }: DataParts,
  shared: Omit<DecisionLogSettings, "worker">,
  { nextId, audit, opened }: LogParts,
): Promise<ServiceDecisionLog> {
  const { directory, node } = shared;
  const { worker, lock } = lockChain(shared);
  opened.defer(() => lock.release());
  const settings = { ...shared, worker };
  const report: Report = (problem, fields) => logger.error(problem, { ...fields });
  const sinks = sinksOf(
    values["authorizer.decision_log.sinks"],
    values["authorizer.decision_log.sink_token"],
    join(directory, chainName(node, worker)),
    report,
  );
  opened.defer(() => closeSinks(sinks));
  const log = await openDecisionLog({
    settings,
    policySet: catalog.digest,
    revision: () => revisions.newest,
    entry: () => revisions.entry,
    nextId,
    report,
    needed: () => Math.min(...sinks.map(({ needed }) => needed)),
    onWritten: () => {
      for (const sink of sinks) sink.notice();
    },
    onSeal: (seal) => audit.event("decision_log_seal", { ...seal }),
  });
  opened.defer(() => log.close());
  for (const sink of sinks) await sink.start();
  const recordedSince = noteRecording(settings, Date.now());
  const index = new DecisionIndex({
    ...{ directory, node, worker },
    flush: () => log.written(),
    unwritten: () => log.unwritten(),
  });
  opened.defer(() => index.close());
  return { log, settings, recordedSince, index, sinks, close: () => opened.disposeAsync() };
}

/** Closes all sinks of a chain, also those that have not begun. */
export async function closeSinks(sinks: readonly HttpSink[]): Promise<void> {
  await Promise.all(sinks.map((sink) => sink.close()));
}

const OTLP_PREFIX = "otlp+";

/** The sinks of a chain: their URLs, and the token that they are sent. */
export function sinksOf(
  urls: readonly string[],
  token: string | undefined,
  folder: string,
  report: Report,
): readonly HttpSink[] {
  return urls.map((text) => {
    const isOtlp = text.startsWith(OTLP_PREFIX);
    const url = isOtlp ? text.slice(OTLP_PREFIX.length) : text;
    return new HttpSink({ folder, url, format: isOtlp ? OTLP : NDJSON, token, report });
  });
}

/** Locks the chain of the first number that no other process has. */
export function lockChain({ directory, node }: Pick<DecisionLogSettings, "directory" | "node">): {
  readonly worker: number;
  readonly lock: FolderLock;
} {
  for (let worker = 0; ; worker++) {
    const folder = join(directory, chainName(node, worker));
    makeFolder(folder, FOLDER_MODE);
    try {
      return { worker, lock: lockFolder(folder) };
    } catch (error) {
      const isTaken = isErrorCode(error, "unavailable") && error.message.includes("in use by");
      if (!isTaken || worker + 1 >= MOST_WORKERS) throw error;
    }
  }
}
