/** Pages on the wire (spec/authorization-api §5). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { Page, PageRequest } from "../../directory/directory.ts";
import { TextSearch } from "../../directory/read/text-search.ts";
import type { Query } from "../../http/request/query.ts";
import type { Call, Reply } from "../../http/route.ts";
import { TextsInTurns } from "./texts-in-turns.ts";

const MAX_AMOUNT = 1000;
const DEFAULT_AMOUNT = 100;
/** Longest name. */
const LONGEST_SEARCH = 1_024;
const AMOUNT = /^-?\d{1,4}$/;

/**
 * The part of a list that a query asks for. An amount that is absent, empty or 0 is 100; -1 is as many as there can
 * be, 1,000.
 * @throws AuthorizerError "invalid_request" for an amount beyond -1…1000, or a search longer than any name
 */
export function pageOf(query: Query): Required<PageRequest> {
  return {
    prefix: query.get("prefix") ?? "",
    search: searchOf(query.get("search")),
    after: query.get("after") ?? "",
    amount: amountOf(query.get("amount")),
  };
}

function searchOf(text = ""): string {
  if (text.length <= LONGEST_SEARCH) return text;
  throw new AuthorizerError("invalid_request", `search: must have at most ${LONGEST_SEARCH} characters`);
}

function amountOf(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_AMOUNT;
  const amount = AMOUNT.test(text) ? Number(text) : Number.NaN;
  if (!(amount >= -1 && amount <= MAX_AMOUNT)) {
    throw new AuthorizerError("invalid_request", `amount: must be a whole number from -1 to ${MAX_AMOUNT}`);
  }
  if (amount === -1) return MAX_AMOUNT;
  return amount === 0 ? DEFAULT_AMOUNT : amount;
}

/** The JSON of a page, whose items are JSON texts; `most` is the most that a page can have. */
export function pageText(items: readonly string[], next: string, most = MAX_AMOUNT): string {
  const pagination = {
    has_more: next !== "",
    max_per_page: most,
    results: items.length,
    next_offset: next,
  };
  return `{"pagination":${JSON.stringify(pagination)},"results":[${items.join(",")}]}`;
}

/** The page of a whole list that is sorted by name. */
export function pageOfSorted<T extends { readonly name: string }>(
  all: readonly T[],
  { prefix, search, after, amount }: Required<PageRequest>,
): Page<T> {
  const wanted = new TextSearch(search);
  const inRange = all.filter(
    ({ name }) =>
      name.startsWith(prefix) &&
      (after === "" || compareUtf8(name, after) > 0) &&
      (search === "" || wanted.isIn(name)),
  );
  const results = inRange.slice(0, amount);
  return { results, next_offset: inRange.length > results.length ? (results.at(-1)?.name ?? "") : "" };
}

/** Of policies: a few of the largest are read and written together. */
export const FEW_TOGETHER = { together: 20 } as const;

/** The form of an answer with a page. */
interface ListForm {
  readonly headers?: readonly string[] | undefined;
  /** Adds to the shaped items. */
  readonly adds?: ((items: readonly unknown[]) => Promise<readonly unknown[]>) | undefined;
  /** Items that are read and written together; default all. */
  readonly together?: number;
}

/** Answers with a page, which ends early where it has very much text. */
export async function listReply<T>(
  call: Pick<Call, "query">,
  list: (page: Required<PageRequest>) => Promise<Page<T>>,
  shape: (item: T) => unknown,
  { headers, adds, together = MAX_AMOUNT }: ListForm = {},
): Promise<Reply> {
  const page = pageOf(call.query);
  const texts = new TextsInTurns();
  let { after } = page;
  do {
    const amount = Math.min(together, page.amount - texts.count);
    const { results, next_offset } = await list({ ...page, after, amount });
    const shown = results.map(shape);
    for (const item of adds === undefined ? shown : await adds(shown)) await texts.add(item);
    after = next_offset;
    // Of a search, a part that is not full has looked at as much as a call may.
    if (results.length < amount) break;
  } while (after !== "" && texts.count < page.amount && !texts.isFullPage);
  const body = pageText(texts.all, after);
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}
