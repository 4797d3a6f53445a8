/** Counts exported spans, and reports when exports begin to fail and when they succeed again. */

import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { TraceCounters } from "./traces.ts";

/** Port: the log of the service. */
export interface ExportLog {
  info(message: string): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** An exporter around another one. */
export class CountedExports implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #counters: TraceCounters;
  readonly #log: ExportLog;
  readonly #underWay = new Set<() => void>();
  #failing = false;

  constructor(exporter: SpanExporter, counters: TraceCounters, log: ExportLog) {
    this.#exporter = exporter;
    this.#counters = counters;
    this.#log = log;
  }

  export(spans: ReadableSpan[], taken: (result: ExportResult) => void): void {
    const end = (): void => {
      // Told as a success: the SDK would otherwise write each failure to standard error by itself.
      if (this.#underWay.delete(end)) taken({ code: ExportResultCode.SUCCESS });
    };
    this.#underWay.add(end);
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded(spans.length);
      else this.#failed(spans.length, result.error);
      end();
    });
  }

  /** Waits no longer for exports that are under way. */
  giveUp(): void {
    for (const end of this.#underWay) end();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #succeeded(spans: number): void {
    this.#counters.exported += spans;
    if (this.#failing) this.#log.info("traces are exported again");
    this.#failing = false;
  }

  #failed(spans: number, error: Error | undefined): void {
    this.#counters.failed += spans;
    if (this.#failing) return;
    this.#failing = true;
    this.#log.warn("traces cannot be exported, and spans are lost; requests are answered as before", {
      reason: error?.message ?? "unknown",
    });
  }
}
