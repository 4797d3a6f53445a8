/** The create of an entry: the only call that decides anything (spec/journal §2.3). */

import { type Engine, entryName, NothingDone } from "./engine.ts";
import type { Made } from "./entry-maker.ts";

/** The state of an attempt's entry in the log. `gone`: its place is at or below the floor, or was taken by others. */
type Fate = "created" | "present" | "unknown" | "gone";

/** The result of a create, and the floor afterwards where that is known. */
export interface Created {
  readonly fate: Fate;
  readonly floor?: number | undefined;
}

/** The parts that it needs of a writer. */
interface CreateParts {
  readonly engine: Engine;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Creates an entry where there is none.
 * @param isFirst false: an earlier create of it may have taken effect
 * @throws NothingDone where nothing happened, and nothing can have happened before
 */
export async function createEntry(
  { engine, onTrouble }: CreateParts,
  { head, item }: Made,
  isFirst: boolean,
): Promise<Created> {
  const name = entryName(head.revision);
  try {
    const { created, floor } = (await engine.createAndFloor?.(name, item)) ?? {
      created: await engine.create(name, item),
      floor: undefined,
    };
    return created ? { fate: "created", floor } : { fate: "present" };
  } catch (error) {
    onTrouble(error);
    if (isFirst && error instanceof NothingDone) throw error;
    return { fate: "unknown" };
  }
}
