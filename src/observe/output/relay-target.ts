/** Lines that another process writes: so that a file has one writer, and is rotated by one. */

import { appendFileSync, writeSync } from "node:fs";
import { FILE_MODE, type LineTarget } from "./line-sink.ts";

/** Port: hands lines to the process that writes them; resolves when it has taken them. */
export type LineRelay = (output: string, batch: string) => Promise<void>;

/** A target whose lines another process writes to an output: `-`, `=` or a path. */
export function relayTarget(output: string, relay: LineRelay): LineTarget {
  return {
    write: (batch) => relay(output, batch),
    // The process ends: nobody can be asked any more.
    writeSync(text) {
      if (output === "-" || output === "=") writeSync(output === "-" ? 1 : 2, text);
      else appendFileSync(output, text, { mode: FILE_MODE });
    },
    reopen: async () => {},
    close: async () => {},
  };
}
