/**
 * A file of what a log lost when it went back (spec/journal §3): the entries that the copy noted, and what they wrote in the
 * end. A state has no bodies of entries, but every record in it has the revision that wrote it.
 */

import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { CommittedChange, VersionedRecord } from "../store/port.ts";
import type { LostPast } from "./node-parts.ts";

/** Format of the file. */
const LOST_FORMAT = 1;
const PAGE = 500;

/** The first line of a file of lost entries. */
export interface LostHead {
  readonly kind: "lost";
  readonly format: number;
  /** Time at which it was noticed, RFC 3339. */
  readonly at: string;
  /** Id of the log. */
  readonly log: string;
  /** Newest revision that the log kept; null where that is not known. */
  readonly common: number | null;
  /** Id of that entry; null where it is not known. */
  readonly commonId: string | null;
  /** Newest revision that was lost. */
  readonly to: number;
  /** The folder of the state that had them; null where it was in memory. */
  readonly copy: string | null;
}

/** A line of such a file. */
export type LostLine =
  | LostHead
  /** An entry; one of which only the id was known has no more. */
  | ({ readonly kind: "entry"; readonly revision: number; readonly id: string } & Partial<
      Pick<CommittedChange, "at" | "node" | "useCases">
    >)
  /** A record as lost entries left it; `version`: the revision of the last that wrote it. */
  | ({ readonly kind: "put" } & VersionedRecord)
  /** A record that lost entries removed. */
  | { readonly kind: "delete"; readonly partition: string; readonly key: string }
  /** The last line of a whole file. */
  | { readonly kind: "end"; readonly entries: number; readonly records: number };

/**
 * Writes what a log lost.
 * @param now every record of the state that took the place of the former one, in order
 * @returns the number of entries that were lost
 */
export async function writeLostFile(
  file: string,
  back: LostPast,
  now: AsyncIterable<readonly VersionedRecord[]>,
  at: string,
): Promise<number> {
  const entries = lostEntries(back);
  const lines = async function* (): AsyncGenerator<string> {
    const { log, common = null, from, ids, former } = back;
    const commonId = ids.find(([revision]) => revision === common)?.[1] ?? null;
    const copy = former.folder ?? null;
    yield line({ kind: "lost", format: LOST_FORMAT, at, log, common, commonId, to: from, copy });
    for (const entry of entries) yield line(entry);
    let records = 0;
    for await (const one of differences(former.pages(), now, common ?? undefined)) {
      records += 1;
      yield line(one);
    }
    yield line({ kind: "end", entries: entries.length, records });
  };
  await pipeline(lines, createWriteStream(`${file}.new`, { mode: 0o600, flush: true }));
  await rename(`${file}.new`, file);
  return entries.length;
}

function line(value: LostLine): string {
  return `${JSON.stringify(value)}\n`;
}

/** The entries behind the common past, as far as the former state noted them. */
function lostEntries({ common, ids, former }: LostPast): readonly (LostLine & { kind: "entry" })[] {
  const lost = ids.filter(([revision]) => common === undefined || revision > common);
  const noted = new Map<number, CommittedChange>();
  for (let at = (lost[0]?.[0] ?? 1) - 1; ; ) {
    const page = former.changes(at, PAGE) ?? [];
    for (const change of page) noted.set(change.revision, change);
    if (page.length === 0) break;
    at = page.at(-1)!.revision;
  }
  return lost.map(([revision, id]) => {
    const { at, node, useCases } = noted.get(revision) ?? {};
    if (at === undefined || node === undefined || useCases === undefined)
      return { kind: "entry", revision, id };
    return { kind: "entry", revision, id, at, node, useCases };
  });
}

/** The records that the lost entries wrote and removed. */
async function* differences(
  former: AsyncIterable<readonly VersionedRecord[]>,
  now: AsyncIterable<readonly VersionedRecord[]>,
  common: number | undefined,
): AsyncGenerator<LostLine> {
  const [olds, news] = [recordsOf(former), recordsOf(now)];
  let [old, fresh] = [await olds.next(), await news.next()];
  while (!old.done || !fresh.done) {
    const order = old.done ? 1 : fresh.done ? -1 : compareRecords(old.value, fresh.value);
    if (order <= 0 && !old.done) {
      const same = order === 0 && !fresh.done && fresh.value.value === old.value.value;
      const isLost = common === undefined ? !same : old.value.version > common;
      if (isLost) yield { kind: "put", ...old.value };
    } else if (!fresh.done && common !== undefined && fresh.value.version <= common) {
      // It was there in the common past, and only lost entries can have removed it.
      const { partition, key } = fresh.value;
      yield { kind: "delete", partition, key };
    }
    if (order <= 0) old = await olds.next();
    if (order >= 0) fresh = await news.next();
  }
}

function compareRecords(a: VersionedRecord, b: VersionedRecord): number {
  return compareUtf8(`${a.partition}\0${a.key}`, `${b.partition}\0${b.key}`);
}

async function* recordsOf(
  pages: AsyncIterable<readonly VersionedRecord[]>,
): AsyncGenerator<VersionedRecord, undefined> {
  for await (const page of pages) yield* page;
  return undefined;
}
