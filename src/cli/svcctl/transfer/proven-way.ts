/** Ways on which nothing can change a content without being noticed. */

import { isIP } from "node:net";

/**
 * True for the address of a server whose answers arrive as they were sent, or not at all: TLS proves each byte, and what
 * stays on this machine meets no wire. A checksum of the content would then cost more than the whole transfer.
 */
export function provesContents(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === "https:") return true;
  const address = hostname.replace(/^\[|\]$/g, "");
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
