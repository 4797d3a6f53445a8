/** Mail addresses. Only plain ones are accepted, so that no text can become a second recipient or a header. */

/** An address with its display name, or "". */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const ATOM = String.raw`[^\s\p{Cc}\p{Cf}<>()\[\],;:\\"@]+`;
const ADDRESS = new RegExp(`^${ATOM}@${ATOM}$`, "u");
const NAMED = /^([^<>\p{Cc}]*)<([^<>]+)>$/u;

/** Longest address a mail server must take (RFC 5321, section 4.5.3.1.3). */
const MAX_ADDRESS_BYTES = 254;

/** True for `local@domain` without quotes, comments, blanks, control or format characters. */
export function isAddress(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_ADDRESS_BYTES && text.isWellFormed() && ADDRESS.test(text);
}

/** The sender in `local@domain` or `Name <local@domain>`; undefined for anything else. */
export function parseSender(text: string): MailAddress | undefined {
  const [, name = "", address = text] = NAMED.exec(text.trim()) ?? [];
  const trimmed = address.trim();
  return isAddress(trimmed) ? { name: name.trim().replaceAll(/^"|"$/g, ""), address: trimmed } : undefined;
}
