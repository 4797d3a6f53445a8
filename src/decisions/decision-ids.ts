/** Decision ids for answers and the audit log: unique over processes and cheap. */

import { randomBytes } from "node:crypto";

const PREFIX_BYTES = 6;

/** Creates a source of ids such as `d-3f9c2a7b81d0-1a`. */
export function decisionIds(): () => string {
  const prefix = randomBytes(PREFIX_BYTES).toString("hex");
  let count = 0;
  return () => `d-${prefix}-${(++count).toString(36)}`;
}
