/** Pages of the items of a list that have a text in their names, or in what people know them by. */

import { Turns } from "../../schedule/turns.ts";
import type { Page } from "../directory.ts";
import type { Partition } from "../records/layout.ts";
import type { ListSource, Range } from "./list-source.ts";
import type { Reader } from "./reader.ts";
import { TextSearch } from "./text-search.ts";

/** Records that are looked at between two looks at the clock. */
const AT_ONCE = 500;
/** Most records that one call looks at, and milliseconds after which it looks at no more: a caller then asks on. */
const MOST_LOOKED_AT = 200_000;
const MOST_MS = 900;

/** Reads a page, in turns with other work. */
export async function searchPage<P extends Partition, T>(
  reader: Reader,
  range: Range,
  { partition, base, items, mayBeItem, texts }: ListSource<P, T>,
): Promise<Page<T>> {
  const search = new TextSearch(range.search);
  const matches = (key: string, value: string): boolean =>
    mayBeItem?.(value) !== false &&
    (search.isIn(key.slice(base.length)) || (texts !== undefined && search.mayBeIn(value)));
  const began = performance.now();
  const turns = new Turns();
  const results: T[] = [];
  let after = range.after === "" ? undefined : base + range.after;
  let last = "";
  for (let looked = AT_ONCE; ; looked += AT_ONCE) {
    const { found, end } = await reader.search(
      partition,
      { prefix: base + range.prefix, limit: AT_ONCE, ...(after !== undefined && { after }) },
      matches,
    );
    const sure = found.filter(({ key, record }) => {
      return search.isIn(key.slice(base.length)) || texts?.(record).some((text) => search.isIn(text ?? ""));
    });
    const names = sure.map(({ key }) => key.slice(base.length));
    for (const [index, item] of (await items(sure, names)).entries()) {
      if (item === undefined) continue;
      if (results.length === range.amount) return { results, next_offset: last };
      results.push(item);
      last = names[index]!;
    }
    if (end === undefined) return { results, next_offset: "" };
    after = end;
    if (looked >= MOST_LOOKED_AT || performance.now() - began > MOST_MS)
      return { results, next_offset: end.slice(base.length) };
    if (turns.spent) await turns.yield();
  }
}
