/** Shows the progress of a transfer: one line on a terminal with bytes, rate and time left. */

import type { CommandCall } from "../command.ts";
import { humanBytes } from "../output/human-bytes.ts";

/** Cells of the bar. */
const WIDTH = 20;

/** Time between two drawings, in milliseconds. */
const EVERY_MS = 100;

/** Counts bytes, and shows them where somebody looks. */
export interface Progress {
  /** More bytes are to be moved. */
  expect(bytes: number): void;
  /** Bytes were moved; negative where they have to be moved again. */
  moved(bytes: number): void;
  /** Takes the line away. */
  end(): void;
}

/** A progress that nobody sees. */
const SILENT: Progress = { expect: () => {}, moved: () => {}, end: () => {} };

/**
 * Begins to show progress on standard error, unless `--no-progress` was given or the output is not for people.
 * @param label the verb, such as `Uploading`
 */
export async function openProgress({ context, options }: CommandCall, label: string): Promise<Progress> {
  const watched = context.terminal && context.edge.stderr.isTTY === true;
  if (!watched || options["progress"] === false || context.format !== "table") return SILENT;
  const { createLogUpdate } = await import("log-update");
  const line = createLogUpdate(context.edge.stderr as NodeJS.WriteStream);
  const started = performance.now();
  let total = 0;
  let done = 0;
  const draw = (): void => line(progressLine(label, done, total, (performance.now() - started) / 1000));
  const timer = setInterval(draw, EVERY_MS);
  timer.unref();
  return {
    expect: (bytes) => {
      total += bytes;
    },
    moved: (bytes) => {
      done += bytes;
    },
    end: () => {
      clearInterval(timer);
      line.clear();
      line.done();
    },
  };
}

/** `Uploading [##########----------] 50% 1.0 MB of 2.0 MB, 0.5 MB/s, 2 s left`. */
export function progressLine(label: string, done: number, total: number, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(part * WIDTH);
  const bar = `[${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}]`;
  const left = rate > 0 && total > done ? `, ${Math.ceil((total - done) / rate)} s left` : "";
  const moved = `${humanBytes(done)} of ${humanBytes(total)}, ${humanBytes(Math.round(rate))}/s${left}`;
  return `${label} ${bar} ${Math.floor(part * 100)}% ${moved}`;
}
