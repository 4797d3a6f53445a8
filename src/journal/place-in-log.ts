/** The check that a log still is the one that a copy came from (journal.md §3). */

import { decodeHead } from "../store/log-entry.ts";
import { newestCheckpoint } from "./checkpoints.ts";
import { type Engine, entryName } from "./engine.ts";

/** The place where a copy stands. */
export interface CopyPlace {
  /** Revision of its newest entry. */
  readonly revision: number;
  /** Id of that entry. */
  readonly lastId: string;
  /** Id of the first entry of its log. */
  readonly log: string;
}

/**
 * The answer of a log about a copy. `same`: it has the copy's newest entry, of that format; `behind`: that may have been
 * removed, and there is a newer checkpoint; `gone`: the log lost it.
 */
export type FoundPlace =
  | { readonly place: "same"; readonly format: number }
  | { readonly place: "behind" }
  | { readonly place: "gone" };

/** Looks for the newest entry of a copy that is not empty. */
export async function findPlace(engine: Engine, { revision, lastId, log }: CopyPlace): Promise<FoundPlace> {
  const item = await engine.read(entryName(revision));
  const floor = await engine.floor();
  if (floor < revision) {
    const head = item && decodeHead(item);
    return head?.id === lastId ? { place: "same", format: head.format } : { place: "gone" };
  }
  // It may be gone, or created anew where it was removed. A newer checkpoint does not tell whether it was in the log.
  const marker = await newestCheckpoint(engine, 0);
  if (marker?.log !== log) return { place: "gone" };
  if (marker.revision > revision) return { place: "behind" };
  return marker.last.id === lastId ? { place: "same", format: marker.format ?? 1 } : { place: "gone" };
}
