/** Checks of what callers hand to a store, the same for every backend. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { Turns } from "../schedule/turns.ts";
import type { Expectation } from "./expectation.ts";
import type { Change, Commit, ReadSet, RecordName, RecordPut, ScanOptions, Touched } from "./port.ts";
import { MAX_KEY_BYTES } from "./port.ts";
import { idOfRecord } from "./record-id.ts";

const PARTITION = /^[a-z][a-z0-9_-]{0,31}$/;

/** A commit whose parts are all present and have passed {@link checkCommit}. */
export interface CheckedCommit {
  readonly expect: readonly Expectation[];
  readonly reads?: ReadSet;
  readonly put: readonly RecordPut[];
  readonly delete: readonly RecordName[];
  readonly change?: Change;
  readonly touched?: Touched;
  readonly actor?: string;
}

/** A scan with its defaults filled in, all texts well-formed. */
export interface CheckedScan {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** True when a record may have this key: not empty, no NUL, well-formed, at most MAX_KEY_BYTES of UTF-8. */
export function isPossibleKey(key: string): boolean {
  return key !== "" && fits(key) && !key.includes("\0") && key.isWellFormed();
}

/**
 * Refuses partition names other than up to 32 of `a-z 0-9 _ -` beginning with a letter. Partitions are constants of
 * the program, so the error is "internal".
 */
export function checkPartition(partition: string): void {
  if (!PARTITION.test(partition)) {
    throw new AuthorizerError(
      "internal",
      `${JSON.stringify(partition)} is not a name for a store partition.`,
    );
  }
}

/**
 * Checks a commit against the port's limits, in turns where it is large. Throws AuthorizerError "invalid_request" for
 * a key that no record may have, a value that is not well-formed, or a key that is put twice or both put and deleted.
 */
export async function checkCommit(commit: Commit): Promise<CheckedCommit> {
  const { expect = [], reads, put = [], delete: deleted = [], change, touched, actor } = commit;
  const turns = new Turns();
  for (const { partition, key } of expect) checkKey(partition, key);
  const written = new Set<string>();
  for (const { partition, key, value } of put) {
    const name = checkKey(partition, key);
    if (written.has(name)) throw invalid(`A commit puts the key ${quote(key)} twice.`);
    if (!value.isWellFormed()) throw invalid(`The value of the key ${quote(key)} has a lone surrogate.`);
    written.add(name);
    if (turns.spent) await turns.yield();
  }
  for (const { partition, key } of deleted) {
    if (written.has(checkKey(partition, key))) {
      throw invalid(`A commit both puts and deletes the key ${quote(key)}.`);
    }
    if (turns.spent) await turns.yield();
  }
  return {
    expect,
    put,
    delete: deleted,
    ...(reads !== undefined && { reads }),
    ...(change !== undefined && { change }),
    ...(touched !== undefined && { touched }),
    ...(actor !== undefined && { actor }),
  };
}

/**
 * Checks a scan. Returns undefined when no key can match (the prefix of no possible key). Throws AuthorizerError
 * "invalid_request" for a limit that is not a whole number of at least 1.
 */
export function checkScan(partition: string, options: ScanOptions): CheckedScan | undefined {
  checkPartition(partition);
  const { prefix = "", after, limit } = options;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw invalid(`The limit of a scan is ${limit}; a whole number of at least 1 is expected.`);
  }
  if (prefix !== "" && !isPossibleKey(prefix)) return undefined;
  return { prefix, after: after?.toWellFormed(), limit };
}

function checkKey(partition: string, key: string): string {
  checkPartition(partition);
  if (key === "") throw invalid("A key of the store is empty.");
  if (!fits(key)) {
    throw invalid(`The key ${quote(key)} is longer than ${MAX_KEY_BYTES} bytes of UTF-8.`);
  }
  if (!isPossibleKey(key)) throw invalid(`The key ${quote(key)} has a NUL or a lone surrogate.`);
  return idOfRecord({ partition, key });
}

function fits(key: string): boolean {
  // A UTF-16 unit has one to three bytes in UTF-8.
  if (key.length * 3 <= MAX_KEY_BYTES) return true;
  return key.length <= MAX_KEY_BYTES && Buffer.byteLength(key) <= MAX_KEY_BYTES;
}

function quote(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key);
}

function invalid(message: string): AuthorizerError {
  return new AuthorizerError("invalid_request", message);
}
