/** The headers that name the position in the log that an answer was given from (journal.md §6). */

const NONE: readonly string[] = [];

let last = "";
let lastHeaders = NONE;

/**
 * Names and values in turn; the same list while the position is the same.
 * @param position `N.LOG.ENTRY`, `N.LOG` or ""
 */
export function positionHeaders(position: string): readonly string[] {
  if (position !== last) {
    const revision = revisionIn(position);
    const entry = revision === position ? NONE : ["X-Svc-Position", position];
    lastHeaders = position === "" ? NONE : ["X-Svc-Revision", revision, ...entry];
    last = position;
  }
  return lastHeaders;
}

/** `N.LOG` of a position. */
export function revisionIn(position: string): string {
  const end = position.indexOf(".", position.indexOf(".") + 1);
  return end < 0 ? position : position.slice(0, end);
}
