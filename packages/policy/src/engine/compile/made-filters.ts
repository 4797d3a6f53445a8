/** The filters that were made for some sets, by action, within the bounds of what all filters of the process may hold. */

import type { MatchingLists } from "../matching/set-beginnings.ts";
import type { SetFilter } from "../matching/set-filter.ts";

/** Most bytes of all filters of this process. Beyond it the oldest are dropped, and made again where they are needed. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Remembers filters. */
export class MadeFilters {
  readonly #byAction = new Map<string, SetFilter>();
  /** Actions of which the indexes of all sets were built. */
  readonly #whole = new Set<string>();

  /** The filter of an action, if it is remembered. */
  of(action: string): SetFilter | undefined {
    return this.#byAction.get(action);
  }

  /** The filter of an action that the same lists match. */
  ofLists(lists: MatchingLists): SetFilter | undefined {
    for (const filter of this.#byAction.values()) if (isSame(filter.lists, lists)) return filter;
    return undefined;
  }

  /**
   * Remembers the filter of an action, which may be that of others too. Somebody else may have made one meanwhile.
   * @param most largest number of actions; the oldest are forgotten
   * @returns the filter that is remembered
   */
  add(action: string, made: SetFilter, most: number): SetFilter {
    const known = this.of(action) ?? this.ofLists(made.lists);
    const filter = known ?? made;
    if (!this.#byAction.has(action))
      while (this.#byAction.size >= most) this.#forget(this.#byAction.keys().next().value as string);
    this.#byAction.set(action, filter);
    if (known === undefined) memory.add(this, filter);
    return filter;
  }

  /** Makes the action of a filter the newest. */
  renew(action: string, filter: SetFilter): void {
    this.#byAction.delete(action);
    this.#byAction.set(action, filter);
  }

  /** Notes that the indexes of all sets were built for an action whose filter is remembered. */
  noteWhole(action: string): void {
    if (this.#byAction.has(action)) this.#whole.add(action);
  }

  /** True if {@link noteWhole} was called for the action since its filter is remembered. */
  isWhole(action: string): boolean {
    return this.#whole.has(action);
  }

  /** Forgets a filter. */
  drop(filter: SetFilter): void {
    for (const [action, one] of this.#byAction) if (one === filter) this.#forget(action);
  }

  #forget(action: string): void {
    this.#byAction.delete(action);
    this.#whole.delete(action);
  }
}

/** True for the same lists. */
function isSame(a: MatchingLists, b: MatchingLists): boolean {
  if (a.size !== b.size) return false;
  for (const list of a) if (!b.has(list)) return false;
  return true;
}

/** A filter in memory. */
interface Made {
  readonly owner: WeakRef<MadeFilters>;
  readonly filter: WeakRef<SetFilter>;
  readonly bytes: number;
}

/** The memory of all filters of the process. It keeps none of them: whose sets nobody has any more are gone. */
class FilterMemory {
  readonly #made: Made[] = [];
  #bytes = 0;

  add(owner: MadeFilters, filter: SetFilter): void {
    const { bytes } = filter;
    this.#made.push({ owner: new WeakRef(owner), filter: new WeakRef(filter), bytes });
    this.#bytes += bytes;
    while (this.#bytes > MOST_BYTES && this.#made.length > 1) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#made.shift();
    const filter = oldest?.filter.deref();
    if (filter !== undefined) oldest?.owner.deref()?.drop(filter);
    this.#bytes -= oldest?.bytes ?? 0;
  }
}

const memory = new FilterMemory();
