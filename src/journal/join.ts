/**
 * A copy that is empty, and a log that begins with entries so large that they are in parts (spec/journal §3.3): the state is made
 * beside the copy. Nobody reads it meanwhile, so that an entry is applied as its parts come; the copy takes an entry in one transaction,
 * which needs as much memory as the entry writes.
 */

import { decodeHead } from "../store/log-entry.ts";
import { CheckpointGone } from "./checkpoints.ts";
import { findLog } from "./place-in-log.ts";
import { type RebuildParts, type Rebuilt, StateMaker } from "./rebuild.ts";

/** The parts that a copy joins a log with. */
interface JoinParts extends Omit<RebuildParts, "assertKnown"> {
  /** Newest format of the log that this program knows. */
  readonly knownFormat: number;
}

/**
 * Fills an empty copy up to the newest entry. Undefined, with the copy still empty, where no whole state can be made from the
 * log: following it entry by entry finds out why.
 * @throws LogMissing for a log whose beginning is gone; NodeEnds
 */
export async function join(parts: JoinParts): Promise<Omit<Rebuilt, "former"> | undefined> {
  const { engine, replica, knownFormat, assertOpen } = parts;
  const log = await findLog(engine);
  if (log === undefined) return undefined;
  const assertKnown = (format: number): void => {
    if (format > knownFormat) throw new CheckpointGone(`format ${format} is not known`);
  };
  const state = await replica.beside();
  try {
    const made = await new StateMaker(
      { engine, replica, assertKnown, ...(assertOpen && { assertOpen }) },
      state,
    ).make(log);
    await (await state.take()).release();
    return made;
  } catch (error) {
    await state.discard();
    if (error instanceof CheckpointGone) return undefined;
    throw error;
  }
}

/** True for an entry that is so large that it is in parts. */
export function isInParts({ item }: { readonly item: Buffer }): boolean {
  return decodeHead(item).parts !== undefined;
}
