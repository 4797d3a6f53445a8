/** From an output of the configuration to its sink (`logging.output`): `-`, `=` or a path. */

import { statSync } from "node:fs";
import { appendTarget, standardTarget } from "./descriptor-target.ts";
import type { LineTarget } from "./line-sink.ts";
import { LineSink } from "./line-sink.ts";
import { type LineRelay, relayTarget } from "./relay-target.ts";
import { type Rotation, rotatingTarget } from "./rotating-target.ts";

/** A device or pipe can be written to but neither sized nor renamed. */
function isSpecialFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function targetOf(output: string, rotation: Rotation | undefined): LineTarget {
  if (output === "-") return standardTarget(1);
  if (output === "=") return standardTarget(2);
  if (rotation === undefined || rotation.maxBytes <= 0) return appendTarget(output);
  try {
    if (isSpecialFile(output)) return appendTarget(output);
  } catch {
    // Opening it says what is wrong.
  }
  return rotatingTarget(output, rotation);
}

/**
 * The sink of an output. Opens nothing yet: a file that cannot be opened is reported with the first line.
 * @param relay hands the lines to another process, which writes them
 */
export function openSink(output: string, rotation?: Rotation, relay?: LineRelay): LineSink {
  const names: Readonly<Record<string, string>> = { "-": "standard output", "=": "standard error" };
  return new LineSink(
    Object.hasOwn(names, output) ? (names[output] as string) : output,
    relay === undefined ? targetOf(output, rotation) : relayTarget(output, relay),
  );
}
