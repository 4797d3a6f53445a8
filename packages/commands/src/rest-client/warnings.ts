/** Reads the warnings that accompany a success: `Warning: 299 agent "text"` (RFC 7234, section 5.5). */

import { safeText } from "../safe-text.ts";

/** The texts of a header, in order. */
export function warningsOf(header: string | null): readonly string[] {
  const found = (header ?? "").matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, text = ""]) => safeText(text.replace(/\\(.)/g, "$1")));
}
