/** The lines of a text, one after the other. */

import type { Position } from "@svc-authorizer/policy/source-files/source.ts";
import { MAX_VALUE_CHARS } from "./piece.ts";
import { TextFaultError, type TextWindow } from "./text-window.ts";

/** A line that is not blank, without its end. */
export interface Line {
  readonly text: string;
  readonly position: Position;
}

/** Reads the lines of a window. Throws {@link TextFaultError} for one of more than 16 MiB. */
export async function* linesOf(window: TextWindow): AsyncGenerator<Line> {
  for (let looked = 0; ; ) {
    const end = window.text.indexOf("\n", window.at + looked) - window.at;
    if (end < 0) {
      looked = window.text.length - window.at;
      if (looked > MAX_VALUE_CHARS)
        throw new TextFaultError("a line of more than 16 MiB is not read", window.position);
      if (await window.fill()) continue;
    }
    const { position } = window;
    const text = window.slice(0, end < 0 ? looked : end);
    if (text.trim() !== "") yield { text, position };
    if (end < 0) return;
    window.skip(end + 1);
    looked = 0;
  }
}
