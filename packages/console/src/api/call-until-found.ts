/** Lists whose pages may be empty before their end, as a search takes the service only half a second at a time. */

import type { Pagination } from "@svc-authorizer/contract/management-api.gen.ts";
import { type Answer, call, type Input, type OperationName } from "./call.ts";

/** Most calls for one page; with half a second each, a person has long looked elsewhere. */
const MOST_CALLS = 20;

interface Page {
  readonly pagination: Pagination;
  readonly results: readonly unknown[];
}

/** Calls an operation; an empty page that is not the last one is passed over. */
export async function callUntilFound<O extends OperationName>(
  operation: O,
  input: Input<O>,
  signal?: AbortSignal,
): Promise<Answer<O>> {
  let asked = input;
  for (let calls = 1; ; calls++) {
    const answer = await call(operation, asked, signal);
    if (!isEmptyPage(answer) || calls === MOST_CALLS) return answer;
    const { query } = asked as { readonly query?: object };
    asked = { ...asked, query: { ...query, after: answer.pagination.next_offset } };
  }
}

function isEmptyPage(answer: unknown): answer is Page {
  const { pagination, results } = (answer ?? {}) as Partial<Page>;
  return pagination?.has_more === true && results?.length === 0 && pagination.next_offset !== "";
}
