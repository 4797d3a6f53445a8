/**
 * A backup of a state as lines (spec/journal §4.12): a head, one line for each record in the order of partitions and keys, and
 * an end with their number and the digest of everything before it. A file without an end is no backup yet.
 */

import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { VersionedRecord } from "./port.ts";

/** The state that a backup holds. */
export interface BackupHead {
  readonly revision: number;
  /** Id of the entry. */
  readonly id: string;
  /** Time of the entry, RFC 3339. */
  readonly at: string;
  /** Id of the log. */
  readonly log: string;
}

const FORMAT = 1;

/** The lines that were written, with their digest. */
export class BackupLines {
  readonly #hash: Hash = createHash("sha256");
  #count = 0;

  /** The first line. */
  head(head: BackupHead): string {
    return this.#add(JSON.stringify({ backup: FORMAT, ...head }));
  }

  /** The line of a record. */
  record({ partition, key, version, value }: VersionedRecord): string {
    this.#count += 1;
    return this.#add(JSON.stringify([partition, key, version, value]));
  }

  /** Takes lines that an interrupted backup has written. */
  taken(line: string, isRecord: boolean): void {
    if (isRecord) this.#count += 1;
    this.#hash.update(`${line}\n`);
  }

  /** The last line. */
  end(): string {
    return `${JSON.stringify({ records: this.#count, sha256: this.#hash.copy().digest("hex") })}\n`;
  }

  #add(line: string): string {
    this.#hash.update(`${line}\n`);
    return `${line}\n`;
  }
}

/** A line of a file. */
type Line = { readonly head: BackupHead } | { readonly record: VersionedRecord } | { readonly end: string };

/**
 * Reads a whole backup; yields its head, then its records. The end is verified last: nothing that was read counts unless
 * the reading ends without an error.
 * @throws AuthorizerError "invalid_request" for a file that is no backup, not whole, or damaged
 */
export async function* readBackup(path: string): AsyncGenerator<BackupHead | VersionedRecord> {
  const lines = new BackupLines();
  let ended = false;
  for await (const text of linesOf(path)) {
    if (ended) throw damaged(path, "something follows its end");
    const line = parseLine(text);
    if (line === undefined) throw damaged(path, "a line cannot be read");
    if ("end" in line) {
      if (lines.end() !== `${text}\n`) throw damaged(path, "its digest is another one");
      ended = true;
    } else {
      lines.taken(text, "record" in line);
      yield "head" in line ? line.head : line.record;
    }
  }
  if (!ended) throw damaged(path, "it has no end: the backup was interrupted, or the file was cut");
}

/** The part of an interrupted backup that can be kept. */
export interface BackupPart {
  readonly head: BackupHead;
  readonly lines: BackupLines;
  readonly last: VersionedRecord | undefined;
  /** Length of the whole lines. */
  readonly bytes: number;
}

/** Reads what an interrupted backup has written; undefined where nothing of it can be used. */
export async function readPart(path: string): Promise<BackupPart | undefined> {
  const lines = new BackupLines();
  let head: BackupHead | undefined;
  let last: VersionedRecord | undefined;
  let bytes = 0;
  for await (const text of linesOf(path)) {
    const line = parseLine(text);
    // A line that was cut is the last.
    if (line === undefined || "end" in line) break;
    if ("head" in line) head = line.head;
    else last = line.record;
    lines.taken(text, "record" in line);
    bytes += Buffer.byteLength(text) + 1;
  }
  return head && { head, lines, last, bytes };
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

function parseLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text) as unknown;
    if (Array.isArray(line)) {
      const [partition, key, version, value] = line as [string, string, number, string];
      const isRecord = [partition, key, value].every((one) => typeof one === "string") && line.length === 4;
      return isRecord ? { record: { partition, key, version, value } } : undefined;
    }
    const { backup, sha256, revision, id, at, log } = line as Partial<BackupHead> & Record<string, unknown>;
    if (typeof sha256 === "string") return { end: sha256 };
    if (backup !== FORMAT || typeof revision !== "number") return undefined;
    return { head: { revision, id: id ?? "", at: at ?? "", log: log ?? "" } };
  } catch {
    return undefined;
  }
}

function damaged(path: string, why: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `${path} is no whole backup of a store: ${why}`);
}
