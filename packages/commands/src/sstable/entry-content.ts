/** The content of an entry of a data server's table: an identity and a message. */

import { ProtoFields } from "./proto-fields.ts";
import type { TableEntry } from "./table-reader.ts";

/** Content of an entry beside its key. */
interface EntryContent {
  /** A digest of what the entry stands for; in a metarange the id of the range as text. */
  readonly identity: Buffer;
  readonly data: ProtoFields;
}

/**
 * Reads the value of an entry.
 * @throws Error for a value that no data server wrote
 */
export function contentOf({ value }: TableEntry): EntryContent {
  const identity = lengthAndBytes(value, 0);
  const data = lengthAndBytes(value, identity.next);
  return { identity: identity.bytes, data: new ProtoFields(data.bytes) };
}

/** Bytes behind their length, which is a varint whose lowest bit is the sign. */
function lengthAndBytes(value: Buffer, at: number): { readonly bytes: Buffer; readonly next: number } {
  let length = 0;
  for (let index = 0; index < 6; index += 1) {
    const byte = value[at + index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    const start = at + index + 1;
    const end = start + length / 2;
    if (length % 2 !== 0 || end > value.length) break;
    return { bytes: value.subarray(start, end), next: end };
  }
  throw new Error("a value of the table is damaged");
}
