/** Search and page of a list, kept in the address so that they can be copied and sent. */

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";

/** The part of a list that a person looks at. */
export interface ListState {
  /** A part of the names that are shown. */
  readonly search: string;
  /** Name after which the page begins; empty: the first page. */
  readonly after: string;
  readonly setSearch: (search: string) => void;
  readonly goTo: (after: string) => void;
  /** Goes to the page before; undefined on the first page. */
  readonly goBack: (() => void) | undefined;
}

/**
 * The state of a list.
 * @param name tells the lists of one page apart in its address; empty for the only one
 */
export function useListState(name: string): ListState {
  const { path, query, route } = useLocation();
  const [before, setBefore] = useState<readonly string[]>([]);
  const keys = name === "" ? (["search", "after"] as const) : ([`${name}-search`, `${name}-after`] as const);
  const [search = "", after = ""] = keys.map((key) => query[key]);
  const show = (next: { readonly search: string; readonly after: string }, replace: boolean): void => {
    const changed = new URLSearchParams(query);
    for (const [key, value] of [
      [keys[0], next.search],
      [keys[1], next.after],
    ] as const) {
      if (value === "") changed.delete(key);
      else changed.set(key, value);
    }
    const text = changed.toString();
    route(encodedPath(path) + (text === "" ? "" : `?${text}`), replace);
  };
  return {
    search,
    after,
    setSearch: (text) => {
      setBefore([]);
      show({ search: text, after: "" }, true);
    },
    goTo: (next) => {
      setBefore([...before, after]);
      show({ search, after: next }, false);
    },
    goBack:
      after === ""
        ? undefined
        : () => {
            setBefore(before.slice(0, -1));
            show({ search, after: before.at(-1) ?? "" }, false);
          },
  };
}

/** The path as it stands in the address: names in it may contain what a path may not. */
function encodedPath(path: string): string {
  return location.pathname === "" ? path : location.pathname;
}
