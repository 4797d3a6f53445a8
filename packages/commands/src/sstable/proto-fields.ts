/** Fields of messages in the format of Protocol Buffers, by their numbers. */

/** A value: a number, or bytes. */
type FieldValue = bigint | Buffer;

/** The fields of one message. */
export class ProtoFields {
  readonly #values = new Map<number, FieldValue[]>();

  /** @throws Error for bytes that are no message */
  constructor(bytes: Buffer) {
    for (let at = 0; at < bytes.length; ) {
      const tag = varint(bytes, at);
      const { value, next } = valueAt(bytes, tag.next, Number(tag.value & 7n));
      const number = Number(tag.value >> 3n);
      const before = this.#values.get(number);
      if (before === undefined) this.#values.set(number, [value]);
      else before.push(value);
      at = next;
    }
  }

  /** A text field; "" where it is absent. */
  text(number: number): string {
    return this.texts(number).at(-1) ?? "";
  }

  /** A field of bytes; none where it is absent. */
  bytes(number: number): Buffer {
    return this.#allBytes(number).at(-1) ?? Buffer.alloc(0);
  }

  /** All values of a repeated text field. */
  texts(number: number): readonly string[] {
    return this.#allBytes(number).map((one) => one.toString("utf8"));
  }

  /** A whole number; 0 where it is absent. Negative ones are two's complement. */
  number(number: number): bigint {
    const value = this.#values.get(number)?.at(-1);
    return typeof value === "bigint" ? BigInt.asIntN(64, value) : 0n;
  }

  /** A message; undefined where it is absent. */
  message(number: number): ProtoFields | undefined {
    const bytes = this.#allBytes(number).at(-1);
    return bytes === undefined ? undefined : new ProtoFields(bytes);
  }

  /** A map of texts. */
  map(number: number): ReadonlyMap<string, string> {
    return new Map(
      this.#allBytes(number).map((bytes) => {
        const entry = new ProtoFields(bytes);
        return [entry.text(1), entry.text(2)];
      }),
    );
  }

  #allBytes(number: number): readonly Buffer[] {
    return (this.#values.get(number) ?? []).filter((one) => typeof one !== "bigint");
  }
}

function valueAt(
  bytes: Buffer,
  at: number,
  kind: number,
): { readonly value: FieldValue; readonly next: number } {
  if (kind === 0) return varint(bytes, at);
  const head = kind === 2 ? varint(bytes, at) : undefined;
  const size = head !== undefined ? Number(head.value) : kind === 1 ? 8 : kind === 5 ? 4 : Number.NaN;
  const start = head?.next ?? at;
  const next = start + size;
  if (Number.isNaN(size) || next > bytes.length) throw new Error("a value of the table is damaged");
  return { value: bytes.subarray(start, next), next };
}

function varint(bytes: Buffer, at: number): { readonly value: bigint; readonly next: number } {
  let value = 0n;
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  throw new Error("a value of the table is damaged");
}
