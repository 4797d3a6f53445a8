/** Request targets (RFC 9112, section 3.2): every part of the server reads the origin form alone. */

import type { IncomingMessage } from "node:http";

const SLASH = 0x2f;
/** Scheme, authority without user information, and the rest. */
const ABSOLUTE = /^https?:\/\/([^/?#@\s]+)(\/[^#]*|\?[^#]*)?$/i;

/**
 * Turns a target in absolute form, which servers must accept, into origin form, and replaces `Host` with its
 * authority (RFC 9112, section 3.2.2). Any other target stays as it is: no route has it, unless it is a path.
 */
export function useOriginForm(request: IncomingMessage): void {
  const target = request.url as string;
  if (target.charCodeAt(0) === SLASH) return;
  const [, authority, rest = "/"] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.charCodeAt(0) === SLASH ? rest : `/${rest}`;
}
