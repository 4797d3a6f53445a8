/** The headers that name the position in the log that an answer was given from (spec/journal §6). */

import { rememberLast } from "../remember-last.ts";

const NONE: readonly string[] = [];

/**
 * Names and values in turn; the same list while the position is the same.
 * @param position `N.LOG.ENTRY`, `N.LOG` or ""
 */
export const positionHeaders = rememberLast((position: string): readonly string[] => {
  const revision = revisionIn(position);
  const entry = revision === position ? NONE : ["X-Svc-Position", position];
  return position === "" ? NONE : ["X-Svc-Revision", revision, ...entry];
});

/** `N.LOG` of a position. */
export function revisionIn(position: string): string {
  const end = position.indexOf(".", position.indexOf(".") + 1);
  return end < 0 ? position : position.slice(0, end);
}
