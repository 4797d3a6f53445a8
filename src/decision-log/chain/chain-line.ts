/**
 * The lines of a chain (spec/decision-log §2). A line is a JSON object that ends with two members: `prev`, the digest of
 * the line before, and `crc`, a checksum of everything before it, which finds a damage of the last line too.
 */

import { crc32 } from "node:zlib";

/** Length of `,"prev":"<64 digits>","crc":"<8 digits>"}`. */
const LINE_END = 9 + 64 + 1 + 18;

const CRC_PART = 18;
const ENDING = /^,"prev":"([0-9a-f]{64})","crc":"([0-9a-f]{8})"\}$/;

/** Returns the eight digits of a checksum. */
export function checksumText(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

const DIGITS = Buffer.from("0123456789abcdef");
/** The member that ends a line, before its checksum is known. */
const UNCHECKED = ',"crc":"00000000"}\n';
const BEFORE_CHECKSUM = 8;

/** A JSON object without its closing brace; a long one in three parts, the one between as UTF-8. */
export interface LineText {
  readonly head: string;
  readonly items?: Buffer;
  readonly tail?: string;
}

/**
 * Writes a line with its line feed into a buffer, which must have room for it.
 * @param start place of the line in the buffer
 * @returns the end of the line without the line feed
 */
export function writeLine(
  target: Buffer,
  start: number,
  { head, items, tail = "" }: LineText,
  prev: string,
): number {
  let end = start;
  if (items !== undefined) {
    end += target.write(head, end);
    target.set(items, end);
    end += items.length;
  }
  // In one go: each write costs more than its bytes.
  end += target.write(`${items === undefined ? head : tail},"prev":"${prev}"${UNCHECKED}`, end);
  const content = end - UNCHECKED.length;
  writeChecksum(target, content + BEFORE_CHECKSUM, crc32(target.subarray(start, content)));
  return end - 1;
}

/** Writes the digits of a checksum. A text for each line would be garbage. */
function writeChecksum(target: Buffer, start: number, checksum: number): void {
  let end = start;
  for (let shift = 28; shift >= 0; shift -= 4) target[end++] = DIGITS[(checksum >>> shift) & 15] as number;
}

/** Returns the most bytes that {@link writeLine} needs for a text. */
export function mostBytes({ head, items, tail = "" }: LineText): number {
  return (head.length + tail.length) * 3 + (items?.length ?? 0) + LINE_END + 1;
}

/** A fault of a line. */
export type LineFault = "form" | "checksum";

/** A line that was looked at. */
export interface CheckedLine {
  readonly fault: LineFault | undefined;
  /** Digest of the line before, as this line has it; undefined for a line without the form of one. */
  readonly prev: string | undefined;
}

/** Checks the form and the checksum of a line without its line feed. */
export function checkLine(line: Buffer): CheckedLine {
  const ending = ENDING.exec(line.toString("latin1", Math.max(0, line.length - LINE_END)));
  if (ending === null || line[0] !== 0x7b) return { fault: "form", prev: undefined };
  const [, prev, checksum] = ending;
  const sound = checksumText(line.subarray(0, line.length - CRC_PART)) === checksum;
  return { fault: sound ? undefined : "checksum", prev };
}
