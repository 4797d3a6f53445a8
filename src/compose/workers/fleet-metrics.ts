/** The metrics of a primary and its workers as those of one service (spec/journal §7). */

import { metricsNamed } from "../../observe/metrics/metric.ts";
import type { Metrics } from "../../observe/metrics/metrics.ts";
import { joined, type MetricSnapshot, openRegistry } from "../../observe/metrics/registry.ts";
import type { FleetWorker } from "../../workers/fleet.ts";
import { KIND } from "./worker-role.ts";

/** Port: the workers. */
interface Workers {
  readonly workers: readonly FleetWorker[];
  /** Workers that took the place of another. */
  readonly replaced: number;
}

/** A worker that does not answer within this time is shown as it was seen last. */
const ANSWER_WITHIN_MS = 2_000;

/** Asks the workers for their metrics. */
export class FleetMetrics {
  readonly #own: Pick<Metrics, "snapshot">;
  readonly #seen = new Map<FleetWorker, readonly MetricSnapshot[]>();
  /** Counters and histograms of workers that ended, added up: they still belong to the service. */
  #ended: Promise<readonly MetricSnapshot[]> = Promise.resolve([]);

  constructor(own: Pick<Metrics, "snapshot">) {
    this.#own = own;
  }

  /** Keeps the counts of a worker that ended, as they were seen last. */
  gone(worker: FleetWorker): void {
    const last = (this.#seen.get(worker) ?? []).filter(isGrowing);
    this.#seen.delete(worker);
    this.#ended = this.#ended.then(async (ended) => (await joined([ended, last])).getMetricsAsJSON());
  }

  /** Returns the metrics of all in the text format of Prometheus. */
  async text(fleet: Workers): Promise<string> {
    await Promise.all(fleet.workers.map((worker) => this.#ask(worker, fleet)));
    const [own, ended, count] = await Promise.all([this.#own.snapshot(), this.#ended, countOf(fleet)]);
    return (await joined([own, ended, ...this.#seen.values(), count])).metrics();
  }

  async #ask(worker: FleetWorker, fleet: Workers): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), ANSWER_WITHIN_MS);
    const answer = worker.channel.ask<readonly MetricSnapshot[]>(KIND.metrics);
    const snapshot = await Promise.race([answer, late.promise]).catch(() => undefined);
    clearTimeout(timer);
    // One that ended meanwhile is counted among those that did.
    if (snapshot !== undefined && fleet.workers.includes(worker)) this.#seen.set(worker, snapshot);
  }
}

function isGrowing({ type }: MetricSnapshot): boolean {
  return String(type) !== "gauge";
}

async function countOf(fleet: Workers): Promise<readonly MetricSnapshot[]> {
  const { counter, gauge } = metricsNamed("svc_authorizer_");
  const registry = await openRegistry([
    gauge("workers", "Processes that answer requests.", () => fleet.workers.length),
    counter("workers_replaced_total", "Processes that ended and were replaced.", () => fleet.replaced),
  ]);
  return registry.getMetricsAsJSON();
}
