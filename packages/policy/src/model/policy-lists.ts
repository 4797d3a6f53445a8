/** Long lists of policies in pieces, so that after a change of one policy all other pieces are the same arrays as before. */

import type { StoredPolicy } from "./held-policies.ts";

/** One in so many policies ends a piece. Which one depends on its id alone, so that a new policy changes one piece. */
const USUAL = 64;
/** Most policies and statements of a piece. */
const MOST_POLICIES = 256;
const MOST_STATEMENTS = 4_000;

type List = readonly StoredPolicy[];

const pieces = new WeakMap<List, readonly List[]>();
const ids = new WeakMap<readonly { readonly id: string }[], ReadonlySet<string>>();

/** The pieces of a list, in its order. For the same list they are the same arrays at each call. */
export function piecesOf(list: List): readonly List[] {
  let found = pieces.get(list);
  if (found === undefined) {
    found = cut(list);
    pieces.set(list, found);
  }
  return found;
}

/** The ids of what is in a list; remembered with the list. */
export function idsOf(list: readonly { readonly id: string }[]): ReadonlySet<string> {
  let found = ids.get(list);
  if (found === undefined) {
    found = new Set(list.map(({ id }) => id));
    ids.set(list, found);
  }
  return found;
}

/**
 * A list in which other versions of some policies stand in their places. Pieces without any of them are those of the list.
 * @param changed by policy of the list, what stands in its place, which has the same id and name
 */
export function withChanged(list: List, changed: ReadonlyMap<StoredPolicy, StoredPolicy>): List {
  const next = [...list];
  const places: number[] = [];
  for (const [before, after] of changed) {
    const place = list.indexOf(before);
    next[place] = after;
    places.push(place);
  }
  const known = ids.get(list);
  if (known !== undefined) ids.set(next, known);
  let start = 0;
  const after = pieces.get(list)?.map((piece) => {
    const from = start;
    start += piece.length;
    return places.some((place) => place >= from && place < start) ? next.slice(from, start) : piece;
  });
  if (after !== undefined) pieces.set(next, after);
  return next;
}

function cut(list: List): readonly List[] {
  const found: List[] = [];
  let start = 0;
  let statements = 0;
  for (const [position, { id, statement }] of list.entries()) {
    statements += statement.length;
    const amount = position + 1 - start;
    if (!isEnd(id) && amount < MOST_POLICIES && statements < MOST_STATEMENTS) continue;
    found.push(list.slice(start, position + 1));
    start = position + 1;
    statements = 0;
  }
  if (start < list.length) found.push(list.slice(start));
  return found;
}

function isEnd(id: string): boolean {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % USUAL === 0;
}
