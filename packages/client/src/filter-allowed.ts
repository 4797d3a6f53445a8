/** Keeps the items of a list that a user may act on. */

import type { ClientContext, Filter } from "./questions.ts";
import type { CallOptions } from "./transport.ts";

/** The client, or a decision point inside this process. */
export interface Filterer {
  filter(filter: Filter, options?: CallOptions): Promise<readonly number[]> | readonly number[];
}

/** The question about each item. */
export interface FilterQuestion<Item> {
  readonly user: string;
  readonly action: string;
  /** The ARN of an item. */
  readonly resource: (item: Item) => string;
  readonly context?: ClientContext;
}

/** The service takes 100,000 items in a call; smaller calls let other callers in between. */
const ITEMS_OF_A_CALL = 10_000;

/**
 * Returns the items that the user may act on, in their order.
 * @throws ClientError where no answer came: then nothing is allowed
 */
export async function filterAllowed<Item>(
  filterer: Filterer,
  question: FilterQuestion<Item>,
  items: readonly Item[],
  options?: CallOptions,
): Promise<Item[]> {
  const { resource, ...common } = question;
  const allowed: Item[] = [];
  for (let start = 0; start < items.length; start += ITEMS_OF_A_CALL) {
    const some = items.slice(start, start + ITEMS_OF_A_CALL);
    const indexes = await filterer.filter({ ...common, resources: some.map(resource) }, options);
    for (const index of indexes) {
      const item = some[index];
      if (item !== undefined || index in some) allowed.push(item as Item);
    }
  }
  return allowed;
}
