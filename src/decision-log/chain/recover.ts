/** The state of a chain at start: its newest segment, without a line that a crash tore (spec/decision-log §2.5). */

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { type SegmentFile, segmentName, segmentsOf } from "@svc-authorizer/policy/records/chain-files.ts";
import { lineDigest } from "@svc-authorizer/policy/records/digests.ts";
import { segmentLines } from "@svc-authorizer/policy/records/read-lines.ts";
import { type ChainState, NEW_CHAIN, readState, STATE_FILE } from "./chain-state.ts";
import { readSeal } from "./read-seal.ts";

const FOLDER_MODE = 0o700;

/** A chain to be continued. */
export interface RecoveredChain {
  readonly state: ChainState;
  /** Number of the segment to write, which may be new. */
  readonly segment: number;
  /** Lines that it has. */
  readonly lines: number;
  /** Time of its first line in milliseconds since 1970; undefined for none. */
  readonly since: number | undefined;
  /** Digest of the last line of the chain. */
  readonly digest: string;
  /** Bytes of the torn line that was cut. */
  readonly cut: number;
  /** The damage of the files, if any: verification names it too, before this start and after it. */
  readonly fault: string | undefined;
  /** Closed segments that are to be compressed. */
  readonly uncompressed: readonly SegmentFile[];
}

/**
 * Prepares the folder of a chain, which the caller has locked. A state that is not signed is that of nobody: to go on
 * from it would sign what somebody else wrote.
 * @param keys those with one of which the state has to be signed; none where states are not signed
 */
export async function recoverChain(folder: string, keys: readonly Buffer[] = []): Promise<RecoveredChain> {
  makeFolder(folder, FOLDER_MODE);
  const segments = await segmentsOf(folder);
  const read = await readState(folder, keys);
  const newest = segments.at(-1);
  const state = read?.state ?? { ...NEW_CHAIN, first: segments[0]?.number ?? 1 };
  const found = newest?.number ?? 0;
  const isLost = read?.state !== undefined && read.state.newest > found;
  const missing = isLost ? `segments ${found + 1} to ${state.newest} are missing` : undefined;
  const fault = read?.fault === undefined ? missing : `${STATE_FILE}: ${read.fault}`;
  const recovered = { ...(await recoverSegments(folder, segments, state)), fault };
  if (!isLost) return recovered;
  // The numbers of lost segments are not given again: verification would take what comes for what was there.
  const uncompressed = segments.filter(({ compressed }) => !compressed);
  return { ...recovered, segment: state.newest + 1, lines: 0, since: undefined, uncompressed };
}

async function recoverSegments(
  folder: string,
  segments: readonly SegmentFile[],
  state: ChainState,
): Promise<Omit<RecoveredChain, "fault">> {
  const newest = segments.at(-1);
  const closed = segments.filter((one) => one !== newest && !one.compressed);
  if (newest === undefined) {
    const number = Math.max(state.newest, state.first);
    const empty = { lines: 0, since: undefined, cut: 0, uncompressed: [] };
    return { state, segment: number, digest: state.before, ...empty };
  }
  if (newest.compressed) {
    await rm(join(folder, segmentName(newest.number)), { force: true });
    const digest = (await tailOf(newest)).digest ?? state.before;
    const next = { segment: newest.number + 1, lines: 0, since: undefined, cut: 0 };
    return { state, ...next, digest, uncompressed: closed };
  }
  const tail = await tailOf(newest);
  if (tail.cut > 0) await cutTail(newest.path, tail.bytes);
  const digest = tail.digest ?? (await digestBefore(segments, state));
  const found = { state, digest, cut: tail.cut };
  if (tail.sealed) {
    const next = { segment: newest.number + 1, lines: 0, since: undefined };
    return { ...found, ...next, uncompressed: [...closed, newest] };
  }
  const { lines, since } = tail;
  return { ...found, segment: newest.number, lines, since, uncompressed: closed };
}

interface Tail {
  /** Bytes of whole lines. */
  readonly bytes: number;
  /** Bytes after them. */
  readonly cut: number;
  readonly lines: number;
  readonly since: number | undefined;
  readonly digest: string | undefined;
  readonly sealed: boolean;
}

async function tailOf(segment: SegmentFile): Promise<Tail> {
  let bytes = 0;
  let cut = 0;
  let lines = 0;
  let since: number | undefined;
  let last: Buffer | undefined;
  for await (const { line, complete } of segmentLines(segment)) {
    // A line without its line feed, or one that a loss of power left unfinished, is torn.
    if (!complete) {
      cut += line.length;
      continue;
    }
    bytes += line.length + 1;
    lines++;
    since ??= timeOf(line);
    last = line;
  }
  const sealed = last !== undefined && readSeal(last) !== undefined;
  return { bytes, cut, lines, since, digest: last && lineDigest(last), sealed };
}

function timeOf(line: Buffer): number | undefined {
  const time = Date.parse(/"at":"([^"]+)"/.exec(line.toString("latin1", 0, 200))?.[1] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** Digest of the last line before a segment that has none yet. */
async function digestBefore(segments: readonly SegmentFile[], state: ChainState): Promise<string> {
  const before = segments.at(-2);
  return before === undefined ? state.before : ((await tailOf(before)).digest ?? state.before);
}

async function cutTail(path: string, bytes: number): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.truncate(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
