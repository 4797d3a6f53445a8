/** Waiting for a reader to take what was written. */

import type { ServerResponse } from "node:http";

/** Resolves when everything that was written has left, or when the connection is closed, also where it was before. */
export function drained(response: ServerResponse): Promise<void> {
  // Its event was before: nobody would hear of another one.
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
