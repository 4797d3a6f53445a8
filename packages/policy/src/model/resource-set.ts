/**
 * Sets of ARNs: everything that a template can produce when one of its values is unknown (spec/security §2.4,
 * spec/security §2.5). A decision is made about the set, never about a text with a star in it.
 */

/**
 * All texts that consist of the parts in their order, with any text (also the empty text) between two neighbours. A
 * single part is exactly that ARN. Parts are literal: a `*` in them is a star.
 */
export interface ResourceSet {
  readonly parts: readonly [string, ...string[]];
}

/** A tree of required permissions whose resources may be sets: a leaf is needed on every ARN of its set. */
export type RequiredOnSets =
  | { readonly action: string; readonly resource: ResourceSet }
  | { readonly any_resource: { readonly action: string } }
  | { readonly and: readonly RequiredOnSets[] }
  | { readonly or: readonly RequiredOnSets[] };

/** The set as a text for people, with a star for each unknown value. */
export function shownSet(set: ResourceSet): string {
  return set.parts.join("*");
}
