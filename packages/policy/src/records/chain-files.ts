/** The files of a chain: `<directory>/<node>-<worker>/NNNNNNNNNN.jsonl`, `.jsonl.zst` once compressed. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Largest number of a segment: ten digits. */
const DIGITS = 10;
const SEGMENT_FILE = /^(\d{10})\.jsonl(\.zst)?$/;
const CHAIN_FOLDER = /^[A-Za-z0-9][A-Za-z0-9._-]*-\d{1,4}$/;

/** A segment on disk. */
export interface SegmentFile {
  readonly number: number;
  readonly path: string;
  readonly compressed: boolean;
}

/** Returns the name of a segment's file. */
export function segmentName(number: number, compressed = false): string {
  return `${String(number).padStart(DIGITS, "0")}.jsonl${compressed ? ".zst" : ""}`;
}

/**
 * Returns the segments of a chain by ascending number. Where a segment exists in both forms, because the process ended
 * between writing one and removing the other, it is the compressed one.
 */
export async function segmentsOf(folder: string): Promise<readonly SegmentFile[]> {
  const found = new Map<number, SegmentFile>();
  for (const name of await readdir(folder)) {
    const match = SEGMENT_FILE.exec(name);
    if (match === null) continue;
    const number = Number(match[1]);
    const compressed = match[2] !== undefined;
    if (compressed || !found.has(number)) found.set(number, { number, path: join(folder, name), compressed });
  }
  return [...found.values()].sort((a, b) => a.number - b.number);
}

/** Returns the names of the chains in a directory, sorted; none for a directory that does not exist. */
export async function chainsIn(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && CHAIN_FOLDER.test(entry.name));
    return folders.map(({ name }) => name).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Returns the name of the chain of one process of a node. */
export function chainName(node: string, worker: number): string {
  return `${node}-${worker}`;
}

/** True if a chain is one of this node. */
export function isChainOf(node: string, chain: string): boolean {
  return chain.startsWith(`${node}-`) && /^\d{1,4}$/.test(chain.slice(node.length + 1));
}
