/** The actions of the catalog, as lists to choose from and by name. */

import { ACTIONS } from "./catalog.gen.ts";

/** Names of all actions. */
export const ACTION_NAMES: readonly string[] = ACTIONS.map(({ name }) => name);

const MEANINGS = new Map(ACTIONS.map(({ name, meaning }) => [name, meaning]));

/** The meaning of an action; undefined for one that is not in the catalog, as for a pattern. */
export function meaningOf(action: string): string | undefined {
  return MEANINGS.get(action);
}
