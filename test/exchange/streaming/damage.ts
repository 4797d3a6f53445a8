/** Damages bodies that are signed in chunks. */

import type { Upload } from "./uploads.ts";

/** A damaged upload, with the kind of its damage. */
interface Damaged {
  readonly kind: string;
  readonly upload: Upload;
}

type Next = () => number;
type Change = (parts: readonly Buffer[], next: Next) => readonly Buffer[];

const whole = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts);
/** A place in a body, before the empty line at its end: without that, nothing is missing. */
const place = (body: Buffer, next: Next): number => Math.floor(next() * (body.length - 4));
/** The place of a part with content, which stands between its header and its end. */
const chunkAt = (parts: readonly Buffer[], next: Next): number =>
  3 * Math.floor((next() * dataParts(parts)) / 3);
const dataParts = (parts: readonly Buffer[]): number => parts.length - 2;
/** A byte with another bit, also if letters of both cases are the same. */
const flipped = (byte: number, next: Next): number => byte ^ (next() < 0.5 ? 1 : 4);

const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  [
    "a bit of the content",
    (parts, next) => {
      const at = chunkAt(parts, next) + 1;
      const data = Buffer.from(parts[at] as Buffer);
      const byte = Math.floor(next() * data.length);
      data[byte] = flipped(data[byte] as number, next);
      return parts.with(at, data);
    },
  ],
  [
    "a digit of a signature",
    (parts, next) => {
      const at = next() < 0.5 ? chunkAt(parts, next) : dataParts(parts);
      const header = String(parts[at]);
      const digit = header.indexOf("chunk-signature=") + 16 + Math.floor(next() * 64);
      const other = header[digit] === "0" ? "1" : "0";
      return parts.with(at, Buffer.from(header.slice(0, digit) + other + header.slice(digit + 1)));
    },
  ],
  ["cut", (parts, next) => [whole(parts).subarray(0, place(whole(parts), next))]],
  ["a byte left out", (parts, next) => without(whole(parts), place(whole(parts), next))],
  [
    "a byte more",
    (parts, next) => {
      const body = whole(parts);
      const at = place(body, next);
      return [body.subarray(0, at), Buffer.from("z"), body.subarray(at)];
    },
  ],
  ["a chunk left out", (parts, next) => parts.toSpliced(chunkAt(parts, next), 3)],
  [
    "a chunk twice",
    (parts, next) => {
      const at = chunkAt(parts, next);
      return parts.toSpliced(at, 0, ...parts.slice(at, at + 3));
    },
  ],
  ["no last chunk", (parts) => parts.slice(0, dataParts(parts))],
  [
    "a forged chunk at the end",
    (parts) => {
      const forged = [`1;chunk-signature=${"0".repeat(64)}\r\n`, "x\r\n"].map((text) => Buffer.from(text));
      return parts.toSpliced(dataParts(parts), 0, ...forged);
    },
  ],
  ["something behind the end", (parts) => [...parts, Buffer.from("1;chunk-signature=")]],
]);

/** Damages an upload in one of ten ways. */
export function damage(upload: Upload, next: Next): Damaged {
  const kinds = [...CHANGES];
  const [kind, change] = kinds[Math.floor(next() * kinds.length)] as (typeof kinds)[number];
  return { kind, upload: { ...upload, parts: change(upload.parts, next) } };
}

/** A line of a trailer may end without a carriage return: the byte before it is left out instead. */
function without(body: Buffer, place: number): readonly Buffer[] {
  const at = body[place] === 13 ? place - 1 : place;
  return [body.subarray(0, at), body.subarray(at + 1)];
}
