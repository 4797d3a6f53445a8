/**
 * Cuts a message of headers before it is decoded (spec/security §5.3): each header becomes objects, of which a message of
 * a megabyte makes half a million, before anybody knows who calls.
 */

/** Field 1, `headers`, with a length. */
const HEADERS_TAG = 0x0a;
const MORE = 0x80;

/**
 * The beginning of a `HeaderMap` that has at most so many headers.
 * @returns undefined for a message with anything but headers
 */
export function firstHeaders(bytes: Uint8Array, most: number): Uint8Array | undefined {
  let at = 0;
  for (let count = 0; at < bytes.length && count < most; count++) {
    if (bytes[at] !== HEADERS_TAG) return undefined;
    at += 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at];
      if (byte === undefined || shift > 21) return undefined;
      at += 1;
      length |= (byte & ~MORE) << shift;
      if ((byte & MORE) === 0) break;
    }
    at += length;
    if (at > bytes.length) return undefined;
  }
  return bytes.subarray(0, at);
}
