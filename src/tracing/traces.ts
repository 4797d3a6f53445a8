/** Traces as the service uses them; `open-traces.ts` builds them with the SDK of OpenTelemetry. */

import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import type { RequestTraces } from "../http/ports.ts";

/** Attributes of a span. Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Plain numbers, read when metrics are scraped. */
export interface TraceCounters {
  /** Spans that ended. */
  ended: number;
  /** Spans that the collector took. */
  exported: number;
  /** Spans of exports that failed: they are lost. */
  failed: number;
}

/** The traces of one process. */
export interface Traces {
  /** Port of the listeners. */
  readonly requests: RequestTraces;
  /** True within the work of a traced request. */
  readonly active: boolean;
  /**
   * Runs a part of the work in a span of its own, a child of the one that it runs in. Outside of a traced request it only
   * runs it. Returns and throws what the work does.
   * @param about attributes of the span, from the result
   */
  within<T>(name: string, work: () => T, about?: (result: Awaited<T>) => Attributes): T;
  /** Counts a decision of the request, whose span shows the sums. */
  decided(effect: Effect): void;
  /** Adds attributes to the span of the request. */
  describe(attributes: Attributes): void;
  readonly counters: TraceCounters;
  /** Exports what is left, for at most 5 seconds. Never rejects. */
  close(): Promise<void>;
}
