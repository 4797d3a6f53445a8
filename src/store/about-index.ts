/** The index of entries by the names of the things that they are about, in memory (spec/journal §4). */

import type { CommittedChange, Thing, Touched, UseCase } from "./port.ts";

/** Kinds of things with the member of {@link Touched} that names them. */
const MEMBERS = { user: "users", group: "groups", policy: "policies" } as const;

/** The name under which entries that may be about anything are filed. */
const ALL = "*";

/** The name under which a thing is filed. No name has NUL in it. */
function thingKey({ kind, name }: Thing): string {
  return `${kind}\0${name}`;
}

/** Keys of everything that an entry is about. */
export function thingKeys(useCases: readonly UseCase[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { touched } of useCases) {
    if (touched === undefined) continue;
    if (touched.all === true) keys.add(ALL);
    for (const kind of ["user", "group", "policy"] as const) {
      for (const name of namesOf(touched, kind)) keys.add(thingKey({ kind, name }));
    }
  }
  return keys;
}

/** The key under which entries about a thing are filed, and that of entries that may be about anything. */
export function keysAbout(thing: Thing): readonly [string, string] {
  return [thingKey(thing), ALL];
}

/** Revisions in both lists, newest first, without repetition, at most `limit`. */
export function mergeNewest(a: readonly number[], b: readonly number[], limit: number): readonly number[] {
  return [...new Set([...a, ...b])].sort((x, y) => y - x).slice(0, limit);
}

function namesOf(touched: Touched, kind: Thing["kind"]): readonly string[] {
  return touched[MEMBERS[kind]] ?? [];
}

/** Finds entries by what they are about. */
export class AboutIndex {
  readonly #revisions = new Map<string, number[]>();

  /** Files an entry; to be called in order of revision. */
  add({ revision, useCases }: Pick<CommittedChange, "revision" | "useCases">): void {
    for (const key of thingKeys(useCases)) {
      const revisions = this.#revisions.get(key);
      if (revisions === undefined) this.#revisions.set(key, [revision]);
      else revisions.push(revision);
    }
  }

  /** Forgets an entry, which is the oldest. */
  removeOldest({ useCases }: Pick<CommittedChange, "useCases">): void {
    for (const key of thingKeys(useCases)) {
      const revisions = this.#revisions.get(key);
      revisions?.shift();
      if (revisions?.length === 0) this.#revisions.delete(key);
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#revisions.clear();
  }

  /** Revisions of entries about a thing below `before`, newest first, at most `limit`. */
  find(thing: Thing, before: number, limit: number): readonly number[] {
    const [own, all] = keysAbout(thing).map((key) => this.#newest(key, before, limit));
    return mergeNewest(own!, all!, limit);
  }

  #newest(key: string, before: number, limit: number): readonly number[] {
    const revisions = this.#revisions.get(key) ?? [];
    let [low, high] = [0, revisions.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (revisions[middle]! < before) low = middle + 1;
      else high = middle;
    }
    return revisions.slice(Math.max(0, low - limit), low);
  }
}
