/** The parts of a token (RFC 7519, section 3), read without verifying it, with the names of all members as they are. */

import { hasEscapedName, parseJsonText } from "@svc-authorizer/policy/json-text.ts";

type Members = Readonly<Record<string, unknown>>;

/** Three parts of Base64url without padding (RFC 7515, section 2). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The header. Undefined where there is none, where a part of the token is not written in the one way that RFC 7515 allows
 * (with padding, or with bits that say nothing, one token has many texts), and where a name in it has an escape: whoever makes such a token wants it to
 * be read in two ways, and the library that verifies it uses `JSON.parse` (see `json-text.ts`).
 */
export function headerOf(token: string): Members | undefined {
  if (!COMPACT.test(token) || !token.split(".").every(isCanonical)) return undefined;
  const text = textOf(token, 0);
  return hasEscapedName(text) ? undefined : membersIn(text);
}

/** The claims; undefined where there are none. */
export function claimsOf(token: string): Members | undefined {
  return membersIn(textOf(token, 1));
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

function textOf(token: string, part: number): string {
  return Buffer.from(token.split(".", 2)[part] ?? "", "base64url").toString("utf8");
}

function membersIn(text: string): Members | undefined {
  try {
    const value = parseJsonText(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}
