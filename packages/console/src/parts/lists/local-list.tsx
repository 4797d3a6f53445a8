/** Lists that the browser has whole, searched and paged as those of the API are. */

import type { ComponentChildren } from "preact";
import { FEW, ListSearch } from "./list-search.tsx";
import { AMOUNT, Pager } from "./pager.tsx";
import { useListState } from "./use-list-state.ts";

/** Properties of {@link LocalList}. */
interface LocalListProps<Item> {
  readonly items: readonly Item[];
  /** The kind of the items, such as "administrators". */
  readonly what: string;
  /** Tells the lists of one page apart in its address. */
  readonly name: string;
  /** The texts of an item that are searched. */
  readonly textsOf: (item: Item) => readonly string[];
  /** Shows the items of a page. */
  readonly children: (shown: readonly Item[]) => ComponentChildren;
}

/** Shows one page of those items that have the text, in any letter case. */
export function LocalList<Item>({ items, what, name, textsOf, children }: LocalListProps<Item>) {
  const state = useListState(name);
  const text = state.search.toLowerCase();
  const found = text === "" ? items : items.filter((item) => textsOf(item).some((one) => has(one, text)));
  const start = Math.max(0, Math.trunc(Number(state.after)) || 0);
  const end = start + AMOUNT;
  return (
    <div class="list">
      {items.length >= FEW && <ListSearch what={what} state={state} />}
      {items.length > 0 && found.length === 0 && <div class="empty">None of the {what} has this text.</div>}
      {children(found.slice(start, end))}
      {(found.length > AMOUNT || start > 0) && (
        <Pager what={what} state={state} next={end < found.length ? String(end) : ""} isBusy={false} />
      )}
    </div>
  );
}

function has(one: string, text: string): boolean {
  return one.toLowerCase().includes(text);
}
