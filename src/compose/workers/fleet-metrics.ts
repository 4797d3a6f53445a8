/** The metrics of a primary and its workers as those of one service (spec/journal §7). */

import { grown, type MetricSnapshot, mergeMetrics } from "../../observe/metrics/merge-metrics.ts";
import type { Metrics } from "../../observe/metrics/metrics.ts";
import { prometheusText } from "../../observe/metrics/prometheus-text.ts";
import { type ScrapedMetric, single } from "../../observe/metrics/scraped-metric.ts";
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
  readonly #own: Metrics;
  readonly #seen = new Map<FleetWorker, readonly MetricSnapshot[]>();
  /** Sum of the counters of workers that ended. */
  #ended: readonly MetricSnapshot[] = [];

  constructor(own: Metrics) {
    this.#own = own;
  }

  /** Keeps the counts of a worker that ended, as they were seen last. */
  gone(worker: FleetWorker): void {
    const merged = mergeMetrics([this.#ended, grown(this.#seen.get(worker) ?? [])]);
    this.#ended = merged.map(({ name, help, type, labels, samples }) => {
      return { name, help, type, labels, values: [...samples()] };
    });
    this.#seen.delete(worker);
  }

  /** Returns the metrics of all in the text format of Prometheus. */
  async text(fleet: Workers): Promise<string> {
    await Promise.all(fleet.workers.map((worker) => this.#ask(worker, fleet)));
    const merged = mergeMetrics([this.#own.snapshot(), this.#ended, ...this.#seen.values()]);
    return prometheusText([...merged, ...ownMetrics(fleet)]);
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

function ownMetrics(fleet: Workers): readonly ScrapedMetric[] {
  return [
    single("gauge", "svc_authorizer_workers", "Processes that answer requests.", () => fleet.workers.length),
    single(
      "counter",
      "svc_authorizer_workers_replaced_total",
      "Processes that ended and were replaced.",
      () => fleet.replaced,
    ),
  ];
}
