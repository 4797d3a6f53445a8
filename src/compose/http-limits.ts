/** `authorizer.limits` as the listeners take them. */

import type { DecisionLimits } from "../api/decisions/limits.ts";
import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";

/** The limits of the listeners. */
export function httpLimits(values: ConfigValues): DecisionLimits {
  return limitsOf(values);
}
