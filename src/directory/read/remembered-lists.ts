/**
 * Lists of what holders have (the policies of a group, the groups of a user), read once for as long as nothing about them
 * changes. What is remembered is known to be in force at every revision from that at which it was read to the newest that
 * was told, but for the members that were touched since: a reader reads these again.
 */

import { LRUCache } from "lru-cache";
import { MultiMap } from "../../compact/multi-map.ts";
import type { DirectoryChange } from "../directory.ts";
import type { ReadState, State, ToldCommits } from "./told-commits.ts";

/** A member of a list. */
interface Member {
  readonly id: string;
}

/** A list, which is also what is known of it while no member was touched: of a thousand lists each is asked for. */
interface Remembered<T> extends State, KnownList<T> {
  /** Ids of the members. */
  readonly members: readonly string[];
  /** About the bytes that the members hold. */
  readonly bytes: number;
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

/** Options of {@link RememberedLists}. */
interface RememberedListsOptions<T> {
  /** The news by which lists are judged. */
  readonly commits: ToldCommits;
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

  constructor(options: RememberedListsOptions<T>) {
    this.#options = options;
    this.#kept = new LRUCache({
      max: options.kept,
      maxSize: KEPT_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /** Most lists that are kept although nobody has them in memory. */
  get mostKept(): number {
    return this.#options.kept;
  }

  /** True if a list puts no other one out. */
  fits(list: readonly T[]): boolean {
    return (
      this.#kept.size < this.#options.kept && this.#kept.calculatedSize + this.#sizeOf(list) <= KEPT_BYTES
    );
  }

  #sizeOf(list: readonly T[]): number {
    return list.reduce((sum, member) => sum + this.#options.sizeOf(member), 1);
  }

  /** Notes a change that was told of. */
  touched(change: DirectoryChange): void {
    const { holders, members } = this.#options.idsOf(change);
    for (const holder of holders) this.#forget(holder);
    for (const member of members) {
      for (const holder of this.#holders.of(member)) this.#touch(holder, member);
    }
  }

  #touch(holder: string, member: string): void {
    const known = this.#known.get(holder)?.deref();
    if (known === undefined) return;
    known.touchedIds ??= new Set();
    known.touchedIds.add(member);
  }

  /** Forgets everything. */
  clear(): void {
    this.#known.clear();
    this.#kept.clear();
    this.#holders.clear();
  }

  /** The list of a holder in a state, where it is known but for some members. */
  at(state: ReadState, holder: string): KnownList<T> | undefined {
    if (!this.#options.commits.reaches(state)) return undefined;
    const { revision, base } = state;
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
    const { revision, base } = state;
    const { id: holder, name } = of;
    if (!this.#isCurrent(state, holder, list)) return;
    const before = this.#known.get(holder)?.deref();
    let members = before?.members;
    if (members === undefined || !(before?.list === renewed?.list || isListOf(members, list))) {
      this.#forget(holder);
      members = list.map(({ id }) => id);
      for (const id of members) this.#holders.add(id, holder);
    }
    const bytes =
      before === undefined || before.list !== renewed?.list
        ? this.#sizeOf(list)
        : before.bytes + this.#grown(list, members, renewed.touched);
    const kept = { revision, base, list, name, members, bytes, touched: UNTOUCHED, touchedIds: undefined };
    this.#gone.register(kept, { holder, members });
    this.#known.set(holder, new WeakRef(kept));
    this.#kept.set(holder, kept);
    this.#owners.set(list, kept);
  }

  /** By how many bytes other members stand in the places of those that were touched: a list may have 10,000. */
  #grown(list: readonly T[], members: readonly string[], touched: readonly T[]): number {
    const { sizeOf } = this.#options;
    return touched.reduce((sum, one) => sum + sizeOf(list[members.indexOf(one.id)] as T) - sizeOf(one), 0);
  }

  /** True if no commit after a state touched a holder or its members. */
  #isCurrent(state: ReadState, holder: string, list: readonly T[]): boolean {
    const since = this.#options.commits.since(state);
    if (since === undefined || since.length === 0) return since !== undefined;
    const ids = new Set(list.map(({ id }) => id));
    return since.every((change) => {
      const { holders, members } = this.#options.idsOf(change);
      return !holders.includes(holder) && !members.some((id) => ids.has(id));
    });
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
