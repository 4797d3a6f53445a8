/** The name of a record as one text. */

import type { RecordName } from "./port.ts";

/** Returns a text that no other record has: no partition and no key has a NUL. */
export function idOfRecord({ partition, key }: RecordName): string {
  return `${partition}\0${key}`;
}
