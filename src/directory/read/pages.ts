/** Pages of lists (spec/authorization-api §5): in UTF-8 byte order, an empty offset on the last page. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { assertField } from "../checks.ts";
import type { Page, PageRequest } from "../directory.ts";
import type { Partition } from "../records/layout.ts";
import type { ListSource, Range } from "./list-source.ts";
import type { Reader } from "./reader.ts";
import { searchPage } from "./search-page.ts";

const MAX_AMOUNT = 1_000;
/** Records read at once after some were passed over. */
const CATCH_UP = 200;

/** The page without items. */
export const EMPTY_PAGE: Page<never> = { results: [], next_offset: "" };

function canBegin(text: string): boolean {
  return text === "" || text === "." || text === ".." || isPossibleName(text);
}

/** The range of a page, or undefined if no name can be in it; "invalid_request" for an amount not 1…1000. */
export function rangeOf({ prefix = "", search = "", after = "", amount }: PageRequest): Range | undefined {
  const possible = Number.isInteger(amount) && amount >= 1 && amount <= MAX_AMOUNT;
  assertField("/amount", possible ? undefined : `must be a whole number from 1 to ${MAX_AMOUNT}`);
  return canBegin(prefix) && canBegin(after) ? { prefix, search, after, amount } : undefined;
}

/** Reads a page. */
export async function readPage<P extends Partition, T>(
  reader: Reader,
  range: Range,
  source: ListSource<P, T>,
): Promise<Page<T>> {
  if (range.search !== "") return searchPage(reader, range, source);
  const { partition, base, items } = source;
  const results: T[] = [];
  let last = "";
  let after = range.after;
  let limit = range.amount + 1;
  for (;;) {
    const found = await reader.scan(partition, {
      prefix: base + range.prefix,
      limit,
      ...(after !== "" && { after: base + after }),
    });
    const names = found.map(({ key }) => key.slice(base.length));
    for (const [index, item] of (await items(found, names)).entries()) {
      if (item === undefined) continue;
      if (results.length === range.amount) return { results, next_offset: last };
      results.push(item);
      last = names[index]!;
    }
    if (found.length < limit) return { results, next_offset: "" };
    after = names.at(-1)!;
    limit = Math.max(range.amount + 1 - results.length, CATCH_UP);
  }
}
