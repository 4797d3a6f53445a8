/** Ports of the decision API; `observe` implements them. */

import type { Entrance } from "../../decisions/entrances.ts";
import type { DurationMeter } from "../../http/ports.ts";

/** Port: the time of decisions. */
export interface DecisionMeters {
  /** By entrance: of a batch as a whole, without reading the request and sending the answer. */
  readonly decisionSeconds: Readonly<Record<Entrance, DurationMeter>>;
}
