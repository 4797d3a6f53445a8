/** The process as svcctl sees it. `main` passes it in, so that tests can run commands without a process. */

import type { Readable, Writable } from "node:stream";

/** The process around svcctl. */
export interface SvcctlEdge {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly cwd: string;
  /** Calls back at Ctrl-C and SIGTERM instead of ending the process, until the returned function is called. */
  readonly onInterrupt?: (listener: () => void) => () => void;
}
