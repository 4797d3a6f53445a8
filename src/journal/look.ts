/** Looks: whether a copy is the newest, asked of the engine and of nothing else (spec/journal §2.8). */

import { decodeHead } from "../store/log-entry.ts";
import { readMarker } from "./checkpoints.ts";
import { checkpointName, type Engine, entryName, type LogLook } from "./engine.ts";

/** The newest entry of a copy. */
export interface CopyPosition {
  /** 0: the copy is empty. */
  readonly revision: number;
  readonly id: string;
}

/** The answer of a look. `moved`: the log goes on; `other`: it may have gone back, or has been trimmed beyond the copy. */
export type Looked = "newest" | "moved" | "other";

/**
 * Asks whether an entry is the newest of the log, in this order: the next entry is absent; the entry itself has this id, or
 * the checkpoint of its revision has it where the entry has been removed; the floor is not above it. In another order an
 * answer could be put together from a log before and after it went back.
 */
export async function lookAt(engine: Engine, { revision, id }: CopyPosition): Promise<Looked> {
  const { hasNext, own, floor } = (await engine.look?.(revision)) ?? (await lookOneByOne(engine, revision));
  if (floor > revision) return "other";
  if (hasNext) return "moved";
  if (revision === 0 || (own !== undefined && decodeHead(own).id === id)) return "newest";
  if (floor < revision) return "other";
  const marker = await readMarker(engine, checkpointName(revision));
  if (marker?.last.id !== id) return "other";
  return (await engine.floor()) > revision ? "other" : "newest";
}

/** The three reads of a look, each sent when the one before was answered. */
export async function lookOneByOne(
  engine: Pick<Engine, "read" | "floor" | "barrier">,
  revision: number,
): Promise<LogLook> {
  await engine.barrier?.();
  const next = await engine.read(entryName(revision + 1));
  const own = revision === 0 ? undefined : await engine.read(entryName(revision));
  const floor = await engine.floor();
  return { hasNext: next !== undefined, own, floor };
}
