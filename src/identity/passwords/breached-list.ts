/**
 * A list of passwords that are known from breaches: a text file with one password on each line, which is kept in memory, or
 * the one of "Have I Been Pwned" (one SHA-1 in hexadecimal on each line, in ascending order, with a count or without), which
 * is searched on the disk.
 */

import { hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Largest file with passwords in clear text, in bytes: it is kept in memory. */
const LARGEST_PLAIN = 16 << 20;
/** Longer than any line of hashes. */
const LINE_BYTES = 128;
const SHA1_LINE = /^[0-9A-F]{40}(?::\d+)?\r?$/i;
const DIGITS = 40;

/** Tells known passwords. */
export interface BreachedList {
  has(password: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Opens a list.
 * @throws AuthorizerError "invalid_request" where the file cannot be read, or is too large
 */
export async function openBreachedList(path: string): Promise<BreachedList> {
  const file = await open(path).catch((cause: unknown) => {
    throw unusable(path, "it cannot be read", cause);
  });
  const { size } = await file.stat();
  const [first = ""] = (await readAt(file, 0, LINE_BYTES)).split("\n");
  if (SHA1_LINE.test(first)) return new HashedList(file, size);
  if (size > LARGEST_PLAIN) {
    await file.close();
    throw unusable(path, `without hashes it may have ${LARGEST_PLAIN >> 20} MiB at most`);
  }
  const lines = (await file.readFile("utf8")).split(/\r?\n/).filter((line) => line !== "");
  await file.close();
  const known = new Set(lines.map(folded));
  return { has: async (password) => known.has(folded(password)), close: async () => {} };
}

/** Lists of passwords have many in lower case only. */
function folded(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

class HashedList implements BreachedList {
  readonly #file: FileHandle;
  readonly #size: number;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async has(password: string): Promise<boolean> {
    const wanted = hash("sha1", password, "hex").toUpperCase();
    // Between these two offsets begins the line, if there is one.
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { start, line, end } = await this.#lineAt(middle);
      if (line === wanted) return true;
      if (line === "" || line > wanted) high = Math.min(start, middle);
      else low = end;
    }
    return false;
  }

  /** The line that an offset is in. */
  async #lineAt(offset: number): Promise<{ start: number; line: string; end: number }> {
    const from = Math.max(0, offset - LINE_BYTES);
    const text = await readAt(this.#file, from, 2 * LINE_BYTES);
    const start = text.lastIndexOf("\n", Math.max(0, offset - from - 1)) + 1;
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found + 1;
    return { start: from + start, line: text.slice(start, start + DIGITS).toUpperCase(), end: from + end };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString("latin1", 0, bytesRead);
}

function unusable(path: string, why: string, cause?: unknown): AuthorizerError {
  const message = `authorizer.passwords.breached_list_file: ${path}: ${why}`;
  return new AuthorizerError("invalid_request", message, { cause });
}
