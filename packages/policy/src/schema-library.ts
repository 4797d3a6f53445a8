/** Ajv, loaded when a schema is first compiled: it has eighty files, and neither a start nor most commands need one. */

import { createRequire } from "node:module";
import type * as ajv from "ajv/dist/2020.js";

/** The library; at once where it is loaded already. */
export function schemaLibrary(): typeof ajv {
  return createRequire(import.meta.url)("ajv/dist/2020.js") as typeof ajv;
}
