/** Writes tables as a data server writes them, without compression: one block of data, an index, properties, a footer. */
import { createHash } from "node:crypto";
import { crc32c, masked } from "@svc-authorizer/commands/sstable/crc32c.ts";

const MAGIC = 0x88e241b785f4cff7n;

/** One entry: identity and message are the two parts of its value. */
export interface NewEntry {
  readonly key: Buffer;
  readonly identity: Buffer;
  readonly message: Buffer;
}

/** The bytes of a table, and its id, which is their digest. */
export function writeTable(
  type: "ranges" | "metaranges",
  entries: readonly NewEntry[],
): { readonly id: string; readonly bytes: Buffer } {
  const pieces: Buffer[] = [];
  let size = 0;
  const addBlock = (content: Buffer): Buffer => {
    const sealed = Buffer.concat([content, Buffer.of(0)]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(masked(crc32c(sealed)));
    const handle = Buffer.concat([varint(size), varint(content.length)]);
    pieces.push(sealed, checksum);
    size += sealed.length + checksum.length;
    return handle;
  };
  const data = addBlock(
    blockOf(
      entries.map(({ key, identity, message }) => [
        Buffer.concat([key, Buffer.alloc(8)]),
        Buffer.concat([zigzag(identity.length), identity, zigzag(message.length), message]),
      ]),
    ),
  );
  const properties = addBlock(blockOf([[Buffer.from("type"), Buffer.from(type)]]));
  const meta = addBlock(blockOf([[Buffer.from("rocksdb.properties"), properties]]));
  const index = addBlock(blockOf([[Buffer.from("~"), data]]));
  const footer = Buffer.alloc(53);
  footer[0] = 1;
  Buffer.concat([meta, index]).copy(footer, 1);
  footer.writeUInt32LE(2, 41);
  footer.writeBigUInt64LE(MAGIC, 45);
  const bytes = Buffer.concat([...pieces, footer]);
  return { id: createHash("sha256").update(bytes).digest("hex"), bytes };
}

function blockOf(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  const restarts = Buffer.alloc(8);
  restarts.writeUInt32LE(1, 4);
  return Buffer.concat([
    ...entries.map(([key, value]) =>
      Buffer.concat([varint(0), varint(key.length), varint(value.length), key, value]),
    ),
    restarts,
  ]);
}

/** A message with fields: texts, bytes and numbers. */
export function messageOf(fields: Readonly<Record<number, string | number | Buffer>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([number, value]) => {
      if (typeof value === "number") return Buffer.concat([varint(Number(number) * 8), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint(Number(number) * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function zigzag(value: number): Buffer {
  return varint(value * 2);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
