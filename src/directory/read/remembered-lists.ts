/**
 * Lists of what holders have (the policies of a group, the groups of a user), read once for as long as nothing about them
 * changes. What is remembered is known to be in force at every revision from that at which it was read to the newest that
 * was told, but for the members that were touched since: a reader reads these again.
 */

import { LRUCache } from "lru-cache";
import { MultiMap } from "../../compact/multi-map.ts";
import type { DirectoryChange } from "../directory.ts";

/** A state of the store. */
interface State {
  readonly revision: number;
  /** See {@link Snapshot.base}: the same revision of another one may be another state. */
  readonly base: string | undefined;
}

/** A state that is read: see {@link RememberedLists.opened}. */
export interface ReadState extends State {
  readonly epoch: number;
}

/** A member of a list. */
interface Member {
  readonly id: string;
}

/** A list, which is also what is known of it while no member was touched: of a thousand lists each is asked for. */
interface Remembered<T> extends State, KnownList<T> {
  /** Ids of the members. */
  readonly members: readonly string[];
  readonly touched: readonly [];
  /** Ids of members that were touched since it was read; few lists have any. */
  touchedIds: Set<string> | undefined;
}

const UNTOUCHED = [] as const;

/** A list that nobody has in memory any more. */
interface Gone {
  readonly holder: string;
  readonly members: readonly string[];
}

/** A list of one holder, as it is remembered. */
export interface KnownList<T> {
  readonly list: readonly T[];
  /** Name of the holder, where it was given: another one would have touched the holder. */
  readonly name: string | undefined;
  /** Members to be read again, because a change touched them. */
  readonly touched: readonly T[];
}

/** A holder of a list. */
interface Holder {
  readonly id: string;
  readonly name?: string;
}

/** The ids in a change: those of holders, and those of members. */
interface ListIds {
  readonly holders: readonly string[];
  readonly members: readonly string[];
}

/** Most memory of the lists that are kept although nobody has them in memory. */
const KEPT_BYTES = 32 << 20;
/** From this share of it on, another list would soon put an earlier one out. */
const FULL = 0.75;
/** Changes remembered to judge what was read before them; what is older is not kept. */
const REMEMBERED_CHANGES = 1_024;

/** Options of {@link RememberedLists}. */
interface RememberedListsOptions<T> {
  /** The ids of holders and members that a change touched. */
  readonly idsOf: (change: DirectoryChange) => ListIds;
  /** About the bytes that a member holds, with what is made of it. */
  readonly sizeOf: (member: T) => number;
  /** Number of lists that are kept although nobody has them in memory. */
  readonly kept: number;
}

/** Remembers lists by the id of their holder. */
export class RememberedLists<T extends Member> {
  readonly #options: RememberedListsOptions<T>;
  readonly #known = new Map<string, WeakRef<Remembered<T>>>();
  /** The newest lists. */
  readonly #kept: LRUCache<string, Remembered<T>>;
  /** Whoever holds a list keeps what is known of it. */
  readonly #owners = new WeakMap<readonly T[], Remembered<T>>();
  /** Id of a member → ids of the holders that have it, and perhaps of some that had it; most have one. */
  readonly #holders = new MultiMap();
  readonly #gone = new FinalizationRegistry<Gone>((gone) => this.#forgetGone(gone));
  readonly #changes: { readonly revision: number; readonly all: boolean; readonly ids: ListIds }[] = [];
  /** Revision of the newest commit that was told or, at first, of the first state that was read; undefined before. */
  #told: number | undefined;
  /** Lists read before this revision are not kept, because some changes after it may never be announced. */
  #floor = 0;

  /** The number of times that everything was forgotten: news from then on say nothing about states that were open before. */
  #epoch = 0;

  constructor(options: RememberedListsOptions<T>) {
    this.#options = options;
    const { kept, sizeOf } = options;
    this.#kept = new LRUCache({
      max: kept,
      maxSize: KEPT_BYTES,
      sizeCalculation: ({ list }) => list.reduce((sum, member) => sum + sizeOf(member), 1),
    });
  }

  /** Most lists that are kept although nobody has them in memory. */
  get mostKept(): number {
    return this.#options.kept;
  }

  /** True if few more than the lists that are kept now would put an earlier one out. */
  get isFull(): boolean {
    return this.#kept.calculatedSize >= KEPT_BYTES * FULL;
  }

  /** A commit. To be told of every one in order, before anybody hears of its success. */
  tell(revision: number, change: DirectoryChange | undefined): void {
    // The database of several nodes was restored from a backup: its revisions are others now.
    if (revision < (this.#told ?? 0)) this.clear();
    this.#begin(revision);
    this.#told = Math.max(this.#told ?? 0, revision);
    if (change === undefined) return;
    const ids = this.#options.idsOf(change);
    this.#changes.push({ revision, all: change.all === true, ids });
    if (this.#changes.length > REMEMBERED_CHANGES) this.#changes.shift();
    if (change.all) this.#forgetAll();
    for (const holder of ids.holders) this.#forget(holder);
    for (const member of ids.members) {
      for (const holder of this.#holders.of(member)) this.#touch(holder, member);
    }
  }

  #touch(holder: string, member: string): void {
    const known = this.#known.get(holder)?.deref();
    if (known === undefined) return;
    known.touchedIds ??= new Set();
    known.touchedIds.add(member);
  }

  /** Forgets everything: the store may have gone back to an earlier revision. */
  clear(): void {
    this.#forgetAll();
    this.#changes.length = 0;
    this.#told = undefined;
  }

  /** A state that a reader has just opened. */
  opened(state: State): ReadState {
    return { revision: state.revision, base: state.base, epoch: this.#epoch };
  }

  /** The list of a holder in a state, where it is known but for some members. */
  at({ revision, base, epoch }: ReadState, holder: string): KnownList<T> | undefined {
    if (epoch !== this.#epoch) return undefined;
    this.#begin(revision);
    // A commit that was not told yet may have changed the holder.
    if (revision > (this.#told ?? 0)) return undefined;
    const kept = this.#known.get(holder)?.deref();
    if (kept === undefined || kept.base !== base || kept.revision > revision) return undefined;
    const { list, name, members, touchedIds } = kept;
    if (touchedIds === undefined) return kept;
    return { list, name, touched: membersAmong(list, members, touchedIds) };
  }

  /**
   * Keeps the list of a holder as it was read from a state, unless it has changed since.
   * @param of the holder; with the name that it has in the state, if readers are to know it
   * @param renewed what was known of the holder, if nothing but its touched members was read: the list has the same members
   */
  keep(state: ReadState, of: Holder, list: readonly T[], renewed?: KnownList<T>): void {
    const { revision, base, epoch } = state;
    const { id: holder, name } = of;
    if (epoch !== this.#epoch || !this.#isCurrent(revision, holder, list)) return;
    const before = this.#known.get(holder)?.deref();
    let members = before?.members;
    if (members === undefined || !(before?.list === renewed?.list || isListOf(members, list))) {
      this.#forget(holder);
      members = list.map(({ id }) => id);
      for (const id of members) this.#holders.add(id, holder);
    }
    const kept = { revision, base, list, name, members, touched: UNTOUCHED, touchedIds: undefined };
    this.#gone.register(kept, { holder, members });
    this.#known.set(holder, new WeakRef(kept));
    this.#kept.set(holder, kept);
    this.#owners.set(list, kept);
  }

  #begin(revision: number): void {
    if (this.#told !== undefined) return;
    this.#told = revision;
    this.#floor = revision;
  }

  #isCurrent(revision: number, holder: string, list: readonly T[]): boolean {
    const told = this.#told ?? Number.NEGATIVE_INFINITY;
    if (revision > told || revision < this.#floor) return false;
    if (revision === told) return true;
    const [oldest] = this.#changes;
    if (this.#changes.length === REMEMBERED_CHANGES && oldest !== undefined && oldest.revision > revision + 1)
      return false;
    const members = new Set(list.map(({ id }) => id));
    return this.#changes.every(
      ({ revision: changed, all, ids }) =>
        changed <= revision ||
        !(all || ids.holders.includes(holder) || ids.members.some((id) => members.has(id))),
    );
  }

  #forget(holder: string): void {
    for (const id of this.#known.get(holder)?.deref()?.members ?? []) this.#holders.remove(id, holder);
    this.#known.delete(holder);
    this.#kept.delete(holder);
  }

  #forgetGone({ holder, members }: Gone): void {
    // Another list of the holder may be known by now.
    if (this.#known.get(holder)?.deref() !== undefined) return;
    this.#known.delete(holder);
    for (const id of members) this.#holders.remove(id, holder);
  }

  #forgetAll(): void {
    this.#epoch++;
    this.#known.clear();
    this.#kept.clear();
    this.#holders.clear();
  }
}

/** From so many on, all members are looked at once. */
const MANY_TOUCHED = 16;

function membersAmong<T>(
  list: readonly T[],
  members: readonly string[],
  touched: ReadonlySet<string>,
): readonly T[] {
  if (touched.size >= MANY_TOUCHED) return list.filter((_, place) => touched.has(members[place] as string));
  const places = [...touched].map((id) => members.indexOf(id)).filter((place) => place >= 0);
  return places.map((place) => list[place] as T);
}

function isListOf(ids: readonly string[], list: readonly Member[]): boolean {
  return ids.length === list.length && list.every(({ id }, position) => id === ids[position]);
}
