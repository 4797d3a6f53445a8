/** The audit log in a chain, as the configuration has it (spec/decision-log §6). */

import { join, resolve } from "node:path";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { chainName } from "@svc-authorizer/policy/records/chain-files.ts";
import type { AuditRecords } from "../../api/management/records/ports.ts";
import { AuditTrail } from "../../decision-log/audit/audit-trail.ts";
import type { Report } from "../../decision-log/chain/chain.ts";
import type { DecisionLogCounters } from "../../decision-log/counters.ts";
import { DecisionIndex } from "../../decision-log/index/decision-index.ts";
import type { ChainSettings } from "../../decision-log/settings.ts";
import type { AuditLog } from "../../observe/log/audit-log.ts";
import { loggable } from "../../observe/log/redact.ts";
import type { SinkSource } from "../../observe/metrics/decision-log-metrics.ts";
import type { DataParts } from "../data.ts";
import { openedOrClosed } from "../opened-or-closed.ts";
import { closeSinks, decisionLogDirectory, lockChain, nodeName, sinksOf } from "./decision-log.ts";

const SEGMENT_BYTES = 16 << 20;
const SEGMENT_AGE_MS = 86_400_000;

/** The audit log of a service. */
export interface ServiceAudit {
  /** Writes to the outputs and, where there is one, to the chain. */
  readonly audit: AuditLog;
  /** undefined if no chain is kept. */
  readonly records: AuditRecords | undefined;
  /** The counters of the chain, and its sinks, for metrics. */
  readonly trail?: {
    readonly counters: DecisionLogCounters;
    readonly sinks: readonly SinkSource[];
  };
}

/**
 * Adds a chain to an audit log if one is configured. Where that fails, the log is closed.
 * @throws AuthorizerError "unavailable" if its folder cannot be used
 */
export async function withAuditTrail(data: DataParts, audit: AuditLog): Promise<ServiceAudit> {
  const directory = data.values["authorizer.audit.directory"];
  if (directory === undefined) return { audit, records: undefined };
  try {
    return await openedOrClosed((opened) => openTrail(data, audit, { directory, opened }));
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `the audit log cannot be kept in ${directory} (authorizer.audit.directory): ${reason}`;
    throw new AuthorizerError("unavailable", message, { cause });
  }
}

/** The folder of the chains, and what closes them. */
interface TrailPlace {
  readonly directory: string;
  readonly opened: AsyncDisposableStack;
}

async function openTrail(
  { values, logger, noted }: DataParts,
  audit: AuditLog,
  { directory, opened }: TrailPlace,
): Promise<ServiceAudit> {
  opened.defer(() => audit.close());
  if (resolve(directory) === resolve(decisionLogDirectory(values))) {
    throw new Error("it is the folder of the decision log");
  }
  const node = nodeName(values);
  const { worker, lock } = lockChain({ directory, node });
  opened.defer(() => lock.release());
  const settings = settingsOf(values["authorizer.audit.keep"], { directory, node, worker });
  const report: Report = (problem, fields) => logger.error(problem, { log: "audit", ...fields });
  const sinks = sinksOf(
    values["authorizer.audit.sinks"],
    values["authorizer.audit.sink_token"],
    join(directory, chainName(node, worker)),
    report,
  );
  opened.defer(() => closeSinks(sinks));
  const trail = await AuditTrail.open({
    settings,
    secretKey: values["auth.encrypt.secret_key"] ?? "",
    formerSecretKey: values["authorizer.previous_secret_key"] ?? "",
    report,
    needed: () => Math.min(...sinks.map(({ needed }) => needed)),
    onWritten: () => {
      for (const sink of sinks) sink.notice();
    },
    onSeal: (seal) => audit.event("audit_log_seal", { ...seal }),
  });
  opened.defer(() => trail.close());
  for (const sink of sinks) await sink.start();
  const index = new DecisionIndex({
    ...settings,
    records: "audit",
    flush: () => trail.written(),
    unwritten: () => trail.unwritten(),
  });
  opened.defer(() => index.close());
  const chained: AuditLog = {
    decisions: audit.decisions,
    counters: audit.counters,
    decision: (record) => audit.decision(record),
    event: (kind, fields) => {
      audit.event(kind, fields);
      const commits = noted?.take() ?? [];
      trail.append(kind, { ...loggable(fields), ...changesOf(commits) });
    },
    relayed: (batch) => audit.relayed(batch),
    reopen: () => audit.reopen(),
    close: () => opened.disposeAsync(),
  };
  const records: AuditRecords = {
    node,
    page: (query, page) => index.page(query, page),
    get: (id) => index.get(id),
    since: (query, place) => index.since(query, place),
  };
  return { audit: chained, records, trail: { counters: trail.counters, sinks } };
}

type NotedCommits = ReturnType<NonNullable<DataParts["noted"]>["take"]>;

/**
 * The revision and the changes of an event; of several commits, all changes and the last revision. There is no revision if
 * the outcome of the last one is not known.
 */
function changesOf(commits: NotedCommits) {
  const last = commits.at(-1);
  if (last === undefined) return {};
  const total = commits.reduce((sum, commit) => sum + (commit.total ?? commit.changes.length), 0);
  const changes = commits.flatMap((commit) => commit.changes);
  return {
    ...(last.revision !== undefined && { revision: last.revision }),
    changes,
    ...(total > changes.length && { changes_total: total }),
  };
}

function settingsOf(
  keepMs: number,
  place: Pick<ChainSettings, "directory" | "node" | "worker">,
): ChainSettings {
  return {
    ...place,
    segmentBytes: SEGMENT_BYTES,
    segmentAgeMs: SEGMENT_AGE_MS,
    keepMs,
    maxBytes: 0,
    compress: true,
    sync: "interval",
    whenFull: "drop",
  };
}
