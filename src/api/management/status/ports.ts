/** The state of the service as the management API needs it; `compose` implements it. */

import type { Status, StatusWhenStale } from "../../../insight/overview/status.ts";

/** Port: the state of this node. */
export interface ServiceStatus {
  /** Reads it, which is cheap. */
  read(): Promise<Status>;
  /** The state of a node that may answer nothing from its copy. */
  readWhenStale(): StatusWhenStale;
}
