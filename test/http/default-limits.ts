/** The limits of a service whose configuration sets none. */

import { limitsOf } from "../../src/config/limits.ts";
import { configFromObject } from "../../src/config/load.ts";

const { values } = configFromObject({}, {}, { requirements: "none" });

/** The defaults of `authorizer.limits`. */
export const DEFAULT_LIMITS = limitsOf(values);
