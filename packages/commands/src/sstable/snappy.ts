/** Decompresses blocks in the format of Snappy. */

/** Largest block that is unpacked, in bytes. */
const LARGEST = 256 * 1024 * 1024;

/**
 * The bytes that a block stands for.
 * @throws Error for anything that is no such block
 */
export function unsnap(input: Buffer): Buffer {
  const { value: length, next } = lengthOf(input);
  if (length > LARGEST) throw new Error("a block is too large");
  const output = Buffer.alloc(length);
  let at = next;
  let to = 0;
  while (at < input.length) {
    const tag = input[at] ?? 0;
    if ((tag & 3) === 0) {
      const { size, start } = literalOf(input, at, tag);
      if (start + size > input.length || to + size > length) throw damaged();
      input.copy(output, to, start, start + size);
      at = start + size;
      to += size;
    } else {
      const { size, offset, end } = copyOf(input, at, tag);
      if (offset === 0 || offset > to || to + size > length) throw damaged();
      // A copy may overlap what it writes, so it goes byte by byte.
      for (let index = 0; index < size; index += 1) output[to + index] = output[to + index - offset] ?? 0;
      at = end;
      to += size;
    }
  }
  if (to !== length) throw damaged();
  return output;
}

function damaged(): Error {
  return new Error("a compressed block is damaged");
}

function lengthOf(input: Buffer): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let next = 0; next < 5; next += 1) {
    const byte = input[next];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * next);
    if (byte < 0x80) return { value, next: next + 1 };
  }
  throw damaged();
}

function literalOf(
  input: Buffer,
  at: number,
  tag: number,
): { readonly size: number; readonly start: number } {
  const short = tag >>> 2;
  if (short < 60) return { size: short + 1, start: at + 1 };
  const bytes = short - 59;
  if (at + 1 + bytes > input.length) throw damaged();
  return { size: input.readUIntLE(at + 1, bytes) + 1, start: at + 1 + bytes };
}

function copyOf(
  input: Buffer,
  at: number,
  tag: number,
): { readonly size: number; readonly offset: number; readonly end: number } {
  const kind = tag & 3;
  const bytes = kind === 3 ? 4 : kind;
  if (at + 1 + bytes > input.length) throw damaged();
  const number = input.readUIntLE(at + 1, bytes);
  if (kind === 1) {
    return { size: ((tag >>> 2) & 7) + 4, offset: ((tag >>> 5) << 8) | number, end: at + 2 };
  }
  return { size: (tag >>> 2) + 1, offset: number, end: at + 1 + bytes };
}
