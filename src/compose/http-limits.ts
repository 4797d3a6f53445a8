/** `authorizer.limits` as the HTTP edge takes them. */

import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import type { HttpLimits } from "../http/limits.ts";

/** The limits of the listeners. */
export function httpLimits(values: ConfigValues): HttpLimits {
  return limitsOf(values);
}
