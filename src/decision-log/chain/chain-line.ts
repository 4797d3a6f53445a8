/**
 * The lines of a chain (spec/decision-log §2). A line is a JSON object that ends with two members: `prev`, the digest of
 * the line before, and `crc`, a checksum of everything before it, which finds a damage of the last line too.
 */

import { crc32 } from "node:zlib";
import { lineDigest, NO_DIGEST } from "@svc-authorizer/policy/records/digests.ts";

/** Length of `,"prev":"<64 digits>","crc":"<8 digits>"}`. */
const LINE_END = 9 + 64 + 1 + 18;

const CRC_PART = 18;
const ENDING = /^,"prev":"([0-9a-f]{64})","crc":"([0-9a-f]{8})"\}$/;

/** Returns the eight digits of a checksum. */
export function checksumText(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

const DIGITS = Buffer.from("0123456789abcdef");
/** The members that end a line, and its line feed, before their digits are known. */
const UNCHECKED = ',"crc":"00000000"}\n';
const BEFORE_CHECKSUM = 8;
const BEFORE_PREV = 9;

/** The end of a line without its digest and its checksum, which {@link completeLine} writes. */
export const OPEN_END = `,"prev":"${NO_DIGEST}"${UNCHECKED}`;

/** A JSON object without its closing brace; a long one in three parts, the one between as UTF-8. */
export interface LineText {
  readonly head: string;
  readonly items?: Buffer;
  readonly tail?: string;
}

/**
 * Writes the digest of the line before and the checksum into a line that ends with {@link OPEN_END}.
 * @param start place of the line in the buffer
 * @param end that behind its line feed
 * @returns the digest of the line
 */
export function completeLine(target: Buffer, start: number, end: number, prev: string): string {
  const content = end - UNCHECKED.length;
  target.write(prev, end - OPEN_END.length + BEFORE_PREV, prev.length, "latin1");
  writeChecksum(target, content + BEFORE_CHECKSUM, crc32(target.subarray(start, content)));
  return lineDigest(target.subarray(start, end - 1));
}

/** Writes the digits of a checksum. A text for each line would be garbage. */
function writeChecksum(target: Buffer, start: number, checksum: number): void {
  let end = start;
  for (let shift = 28; shift >= 0; shift -= 4) target[end++] = DIGITS[(checksum >>> shift) & 15] as number;
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
