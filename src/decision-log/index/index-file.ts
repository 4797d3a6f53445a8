/** The file of the index of one process. */

import { join } from "node:path";

/** Returns its path: `index-<node>-<worker>.sqlite` in the directory of the log. */
export function indexFile(directory: string, node: string, worker: number): string {
  return join(directory, `index-${node}-${worker}.sqlite`);
}
