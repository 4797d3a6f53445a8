/** Removes the oldest closed segments of a chain (`authorizer.decision_log.keep`, `.max_bytes`). */

import { rm, stat } from "node:fs/promises";
import { type SegmentFile, segmentsOf } from "@svc-authorizer/policy/records/chain-files.ts";
import { lineDigest } from "@svc-authorizer/policy/records/digests.ts";
import { segmentLines } from "@svc-authorizer/policy/records/read-lines.ts";
import { type ChainState, writeState } from "./chain-state.ts";

/** Bounds of what is kept; 0 sets none. */
interface RetentionSettings {
  readonly keepMs: number;
  readonly maxBytes: number;
}

/** The parts of a removal. */
interface Retention extends RetentionSettings {
  readonly folder: string;
  readonly sealKey: Buffer | undefined;
  /** Number of the open segment. */
  readonly open: () => number;
  /** Number of the first segment that a sink still needs: it goes only for want of room. */
  readonly needed: () => number;
}

/** Removes what need not be kept. Returns the new state of the chain. */
export async function removeOld(retention: Retention, state: ChainState, now: number): Promise<ChainState> {
  const { folder, keepMs, maxBytes, sealKey } = retention;
  const open = retention.open();
  const needed = retention.needed();
  const segments = await segmentsOf(folder);
  const sizes = await Promise.all(segments.map(({ path }) => stat(path)));
  let bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  const old: SegmentFile[] = [];
  for (const [index, segment] of segments.entries()) {
    const { size, mtimeMs } = sizes[index] as (typeof sizes)[number];
    const tooOld = keepMs > 0 && mtimeMs < now - keepMs && segment.number < needed;
    const tooMuch = maxBytes > 0 && bytes > maxBytes;
    if (segment.number >= open || !(tooOld || tooMuch || segment.number < state.first)) break;
    old.push(segment);
    bytes -= size;
  }
  const last = old.at(-1);
  if (last === undefined) return state;
  // The state comes first: after a crash in between, segments before the first are removed at the next time.
  const next = { ...state, first: last.number + 1, before: await lastDigest(last) };
  await writeState(folder, next, sealKey);
  for (const { path } of old) await rm(path, { force: true });
  return next;
}

async function lastDigest(segment: SegmentFile): Promise<string> {
  let digest = "";
  for await (const { line } of segmentLines(segment)) digest = lineDigest(line);
  return digest;
}
