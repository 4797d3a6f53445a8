/** The field in which a list is searched. */

import { useEffect, useState } from "preact/hooks";
import { useDelayed } from "../states/use-delayed.ts";
import type { ListState } from "./use-list-state.ts";

/** Rows that a person sees at a glance: below that there is nothing to search. */
export const FEW = 8;

/** The field follows typing at once, the address with a delay. */
export function ListSearch({ what, state }: { readonly what: string; readonly state: ListState }) {
  const [text, setText] = useState(state.search);
  const settled = useDelayed(text);
  useEffect(() => {
    if (settled === text && settled !== state.search) state.setSearch(settled);
  }, [settled]);
  useEffect(() => setText(state.search), [state.search]);
  return (
    <input
      type="search"
      class="list-search"
      aria-label={`Search ${what}`}
      placeholder={`Search ${what}`}
      dir="auto"
      spellcheck={false}
      autocomplete="off"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
