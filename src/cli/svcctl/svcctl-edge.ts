/** What svcctl sees of its process: handed in by `main`, so that commands run in tests as well. */

import type { Readable, Writable } from "node:stream";

/** The process around svcctl. */
export interface SvcctlEdge {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly cwd: string;
}
