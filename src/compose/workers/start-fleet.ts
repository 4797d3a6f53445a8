/** The primary process of several workers (spec/journal §7): it writes, looks after the store, and answers for metrics. */

import { extname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { ShadowReport } from "../../decisions/shadow/shadow-report.ts";
import { type ActivityReport, mergedActivity } from "../../insight/overview/activity.ts";
import type { Commit } from "../../store/port.ts";
import type { Answerer } from "../../workers/channel.ts";
import { type FleetWorker, WorkerFleet } from "../../workers/fleet.ts";
import { listenAt } from "../listeners/listen.ts";
import type { ServiceOptions, ServiceParts } from "../parts.ts";
import { FleetMetrics } from "./fleet-metrics.ts";
import { KIND, type WorkerAddresses, type WorkerStart } from "./worker-role.ts";

/** Workers with their primary. */
interface StartedFleet {
  readonly addresses: WorkerAddresses & { readonly metrics: string };
  /** Makes all workers read tokens and certificates again. */
  reload(values: ConfigValues): void;
  /** Stops the workers, each when it has finished what it has begun. */
  stop(): Promise<void>;
}

/** Time for which a worker that stops may take beside `authorizer.shutdown_delay`. */
const STOP_WITHIN_MS = 18_000;
/** Time for which a worker may take to report. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * Starts workers over the parts of this process, which keep the lock of the folder and listen for scrapes only. Throws
 * what the start of a worker throws; none is left then.
 */
export async function startFleet(
  parts: ServiceParts,
  options: ServiceOptions,
  count: number,
): Promise<StartedFleet> {
  const { values, store } = parts.data;
  const given = { values };
  const metrics = new FleetMetrics(parts.metrics);
  const fleet = openFleet(parts, options, count, given, metrics);
  const unsubscribe = [
    store.subscribe(() => fleet.tell(KIND.committed)),
    parts.data.journal?.onContact((contact) => fleet.tell(KIND.contact, contact)),
  ];
  parts.setMetrics(() => metrics.text(fleet));
  const stop = async (): Promise<void> => {
    // Workers answer, also readers of changes, until they have ended.
    await fleet.stop(KIND.stop, values["authorizer.shutdown_delay"] + STOP_WITHIN_MS);
    for (const end of unsubscribe) end?.();
  };
  try {
    const [first] = await fleet.start();
    const scrape = await listenAt(parts.scrape, {
      item: "authorizer.metrics_address",
      address: values["authorizer.metrics_address"],
      nextFreePort: options.nextFreePort ?? false,
    });
    return {
      addresses: { ...(first ?? { service: "", user: "" }), metrics: scrape },
      reload: (fresh) => {
        given.values = fresh;
        fleet.tell(KIND.reload, fresh);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function openFleet(
  parts: ServiceParts,
  { version, nextFreePort = false }: ServiceOptions,
  count: number,
  given: { values: ConfigValues },
  metrics: FleetMetrics,
): WorkerFleet<WorkerAddresses> {
  const { data, setup } = parts;
  const relayFailure = (key: string, worker: FleetWorker): void => fleet.tell(KIND.failure, key, worker);
  const fleet: WorkerFleet<WorkerAddresses> = new WorkerFleet<WorkerAddresses>({
    entry: fileURLToPath(new URL(`../../worker-main${extname(import.meta.filename)}`, import.meta.url)),
    count,
    log: data.logger,
    readyKind: KIND.start,
    start: (): WorkerStart => ({
      values: given.values,
      version,
      nextFreePort,
      setupToken: setup.offer?.token,
      copy: data.journal?.forWorkers,
    }),
    answerers: (worker) =>
      answerersFor(parts, (key) => relayFailure(key, worker))
        .set(KIND.shadow, () => reportsOf<ShadowReport>(fleet, KIND.shadow))
        .set(KIND.activity, async () => activityOf(await reportsOf<ActivityReport>(fleet, KIND.activity))),
    onGone: (worker) => {
      metrics.gone(worker);
      // A process that was killed leaves its place among the readers behind, which would keep old pages alive.
      data.store.clearReaders?.();
    },
  });
  return fleet;
}

function answerersFor(parts: ServiceParts, relayFailure: (key: string) => void): Map<string, Answerer> {
  const { audit, data } = parts;
  const writeLines = ({ output, batch }: { readonly output: string; readonly batch: string }): void => {
    data.logger.relayed(output, batch);
  };
  return new Map<string, Answerer>([
    [KIND.commit, (commit: Commit) => commitFor(parts, commit)],
    [KIND.takeTurn, () => data.store.takeTurn?.()],
    [KIND.catchUp, () => data.store.catchUp?.()],
    [KIND.prove, (caller?: string) => data.store.prove?.(caller)],
    [KIND.failure, relayFailure],
    [KIND.audit, (batch: string) => void audit.relayed(batch)],
    [KIND.lines, writeLines],
  ]);
}

interface Reports<T> {
  readonly reports: readonly T[];
  /** Workers that did not answer in time. */
  readonly unanswered: number;
}

/** The reports of all workers that answer in time. */
async function reportsOf<T>(fleet: WorkerFleet<WorkerAddresses>, kind: string): Promise<Reports<T>> {
  const asked = fleet.workers.map(({ channel }) =>
    Promise.race([
      channel.ask<T | undefined>(kind).catch(() => undefined),
      delay(ANSWER_WITHIN_MS, undefined, { ref: false }),
    ]),
  );
  const answers = await Promise.all(asked);
  const reports = answers.filter((report) => report !== undefined) as readonly T[];
  return { reports, unanswered: answers.length - reports.length };
}

function activityOf({ reports, unanswered }: Reports<ActivityReport>): ActivityReport {
  if (reports.length > 0) return mergedActivity(reports, unanswered);
  throw new AuthorizerError("unavailable", "no process reports now");
}

/** Commits what a worker asks for, and looks for the background work that it leaves. */
async function commitFor({ data, invitations }: ServiceParts, commit: Commit): Promise<number> {
  const revision = await data.store.commit(commit);
  const written = new Set(commit.put?.map(({ partition }) => partition));
  if (written.has("sweep") || written.has("claim")) data.directory.wakeUpkeep();
  if (written.has("outbox")) invitations.wake();
  return revision;
}
