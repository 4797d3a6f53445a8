/** The id of a commit: the digest of what it says, so that one id is the same data everywhere (spec/mirroring §4). */

import { createHash, type Hash } from "node:crypto";
import type { LoggedCommit } from "./logged-commit.ts";

/** Types of hashed values, as the data server numbers them. */
const BYTES = 0;
const TEXT = 1;
const NUMBER = 2;
const LIST = 3;
const MAP = 4;
const EMBEDDED = 5;
/** Bytes of a number. */
const WIDTH = 8;

/** The parts of a commit that its id covers. */
type Identified = Pick<
  LoggedCommit,
  "committer" | "message" | "metaRangeId" | "creationDate" | "parents" | "metadata"
>;

/** Returns the id that a commit with these parts has: SHA-256, in hexadecimal digits. */
export function commitId(commit: Identified): string {
  const parents = createHash("sha256");
  addType(parents, LIST);
  addNumber(parents, commit.parents.length);
  for (const parent of commit.parents) addText(parents, parent);
  const hash = createHash("sha256");
  for (const text of ["commit:v1", commit.committer, commit.message, commit.metaRangeId]) addText(hash, text);
  addNumber(hash, commit.creationDate);
  // By their bytes: UTF-16 units would order characters beyond U+FFFF otherwise.
  const metadata = Object.entries(commit.metadata)
    .map(([name, value]) => ({ name: Buffer.from(name), value }))
    .sort((left, right) => Buffer.compare(left.name, right.name));
  addType(hash, MAP);
  addNumber(hash, metadata.length);
  for (const { name, value } of metadata) {
    addText(hash, name.toString());
    addText(hash, value);
  }
  addType(hash, EMBEDDED);
  addBytes(hash, parents.digest());
  return hash.digest("hex");
}

function addType(hash: Hash, type: number): void {
  hash.update(Buffer.of(type));
}

function addNumber(hash: Hash, value: number): void {
  const bytes = Buffer.alloc(WIDTH);
  bytes.writeBigInt64BE(BigInt(value));
  hash.update(Buffer.of(NUMBER, WIDTH)).update(bytes);
}

function addText(hash: Hash, text: string): void {
  const bytes = Buffer.from(text);
  addType(hash, TEXT);
  addNumber(hash, bytes.length);
  hash.update(bytes);
}

function addBytes(hash: Hash, bytes: Buffer): void {
  addType(hash, BYTES);
  addNumber(hash, bytes.length);
  hash.update(bytes);
}
