/** Many calls of one kind at once, and what became of them: rates, errors and latencies. */

import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { safeMessage } from "@svc-authorizer/commands/safe-text.ts";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { CommandCall } from "../command.ts";
import { structuredText } from "../output/structured.ts";
import { interruptible } from "../transfer/interrupt.ts";

/** Upper bounds of the lines of the histogram, in milliseconds. */
const BUCKETS = [1, 2, 5, 7, 10, 15, 25, 50, 75, 100, 250, 350, 500, 750, 1_000, 5_000];
const PERCENTILES = [50, 90, 95, 99, 99.9];

/** Calls of one kind. */
interface Load {
  /** Named in the lines that are printed while it runs. */
  readonly name: string;
  readonly parallelism: number;
  readonly inputs: Iterable<string> | AsyncIterable<string>;
  /** One call. Throws where it failed. */
  readonly work: (input: string, signal: AbortSignal) => Promise<void>;
}

/** Counts of a run. */
class Tally {
  readonly started = performance.now();
  completed = 0;
  errors = 0;
  firstError: string | undefined;
  readonly latencies: RecordableHistogram = createHistogram();
  readonly #buckets = BUCKETS.map((bound) => ({ bound, count: 0 }));
  #flushed = { at: this.started, completed: 0 };

  succeed(ms: number): void {
    this.completed += 1;
    this.latencies.record(Math.max(1, Math.round(ms * 1000)));
    for (const bucket of this.#buckets) if (Math.floor(ms) <= bucket.bound) bucket.count += 1;
  }

  fail(error: unknown): void {
    this.completed += 1;
    this.errors += 1;
    this.firstError ??= messageOf(error);
  }

  /** The line about the time since the last such line. */
  line(): string {
    const now = performance.now();
    const rate = ((this.completed - this.#flushed.completed) * 1000) / (now - this.#flushed.at);
    this.#flushed = { at: now, completed: this.completed };
    return `completed: ${this.completed}, errors: ${this.errors}, current rate: ${rate.toFixed(2)} done/second`;
  }

  get succeeded(): number {
    return this.completed - this.errors;
  }

  percentile(part: number): number {
    return this.succeeded === 0 ? 0 : this.latencies.percentile(part) / 1000;
  }

  histogram(): string {
    const some = this.succeeded > 0;
    const lines = [
      ...this.#buckets.map(({ bound, count }) => `${bound}\t${count}`),
      `min\t${some ? Math.floor(this.latencies.min / 1000) : 0}`,
      `max\t${some ? Math.floor(this.latencies.max / 1000) : 0}`,
      `total\t${this.succeeded}`,
    ];
    return `${lines.join("\n")}\n`;
  }
}

/**
 * Makes the calls until all are made, or somebody presses Ctrl-C, and prints what became of them.
 */
export async function runLoad(call: CommandCall, { name, parallelism, inputs, work }: Load): Promise<void> {
  const { context } = call;
  const tally = new Tally();
  const asText = context.format === "table";
  const timer = setInterval(() => asText && context.out(`${name} - ${tally.line()}\n`), 1000);
  try {
    await interruptible(context, (signal) =>
      forEachParallel(
        inputs,
        Math.max(1, parallelism),
        async (input, ended) => {
          const began = performance.now();
          try {
            await work(input, ended);
            tally.succeed(performance.now() - began);
          } catch (error) {
            if (!ended.aborted) tally.fail(error);
          }
        },
        signal,
      ),
    ).catch((error: unknown) => {
      // Ctrl-C ends a run early, and its results count.
      if (!(error instanceof Error) || error.name !== "Interrupted") throw error;
    });
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - tally.started) / 1000;
  if (asText) context.out(resultText(tally, seconds));
  if (context.format === "table") return;
  context.out(await structuredText(context.format, record(name, tally, seconds)));
}

function resultText(tally: Tally, seconds: number): string {
  const first = tally.firstError === undefined ? "" : `First error: ${safeMessage(tally.firstError)}\n`;
  const lines = [
    `${tally.line()}\n`,
    `${first}${tally.completed} total with ${tally.errors} failures in ${seconds.toFixed(6)}s`,
    `${(tally.succeeded / seconds).toFixed(6)} successes/s`,
    `${(tally.errors / seconds).toFixed(6)} failures/s`,
    `Histogram (ms):\n${tally.histogram()}`,
    "Percentiles (ms):",
    ...PERCENTILES.map((part) => `p${part}\t${tally.percentile(part).toFixed(1)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function record(name: string, tally: Tally, seconds: number): object {
  const percentiles = PERCENTILES.map((part) => [
    `p${String(part).replace(".", "_")}_ms`,
    tally.percentile(part),
  ]);
  return {
    name,
    total: tally.completed,
    errors: tally.errors,
    seconds,
    ...Object.fromEntries(percentiles),
    ...(tally.firstError !== undefined && { first_error: tally.firstError }),
  };
}
