/** Differences between a folder and a repository, and how two lists of them come together. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";

/** The kind of a difference. */
export type ChangeType = "added" | "modified" | "removed" | "conflict";

/** One difference. */
export interface Change {
  /** The side on which it happened. */
  readonly source: "local" | "remote";
  /** Below the linked path; that of a folder ends with a slash. */
  readonly path: string;
  readonly type: ChangeType;
}

/** The type that the data server calls so. */
export function changeTypeOf(text: string): ChangeType {
  if (text === "added" || text === "removed" || text === "conflict") return text;
  if (text === "changed" || text === "modified") return "modified";
  throw new Error(`invalid change type ${JSON.stringify(text)}`);
}

/**
 * Both lists as one, in the order of paths, in which both are.
 * @param both what is made of a path that both lists have: a conflict, or the change of the second list
 */
export function mergeChanges(
  left: readonly Change[],
  right: readonly Change[],
  both: "conflict" | "right",
): readonly Change[] {
  const merged: Change[] = [];
  let l = 0;
  let r = 0;
  for (;;) {
    const one = left[l];
    const other = right[r];
    if (one === undefined || other === undefined) return [...merged, ...left.slice(l), ...right.slice(r)];
    const order = compareUtf8(one.path, other.path);
    if (order < 0) merged.push(one);
    else if (order > 0) merged.push(other);
    else merged.push(both === "right" ? other : { ...one, type: "conflict" });
    if (order <= 0) l += 1;
    if (order >= 0) r += 1;
  }
}

/** The changes that take local changes back: what was removed is fetched again. */
export function undo(changes: readonly Change[]): readonly Change[] {
  return changes.map(({ path, type }) => ({
    source: "remote",
    path,
    type: type === "added" ? "removed" : "modified",
  }));
}
