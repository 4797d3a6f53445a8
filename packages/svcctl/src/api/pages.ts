/** Lists of the API, page by page. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { QueryValue } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import type { CommandCall } from "../command.ts";
import type { ApiClient, JsonObject } from "./api-client.ts";

/** Results of one page with `--all`: the most that servers give. */
const LARGEST_PAGE = 1_000;

/** A part of a list, or with `--all` the whole of it. */
export interface Page {
  readonly results: readonly JsonObject[];
  /** Value of `--after` for the next page; undefined at the end. */
  readonly next: string | undefined;
  /** The amount that was asked for. */
  readonly amount: number;
  /** The API's own answer, with all results. */
  readonly answer: JsonObject;
}

/** Fetches what the paging options `--prefix`, `--search`, `--after`, `--amount` and `--all` ask for. */
export async function fetchPage(
  api: ApiClient,
  { options }: CommandCall,
  path: readonly string[],
  query: Readonly<Record<string, string | boolean | undefined>> = {},
): Promise<Page> {
  const all = options["all"] === true;
  const amount = all ? LARGEST_PAGE : Number(options["amount"]);
  const prefix = textOption(options, "prefix");
  const search = textOption(options, "search");
  const results: JsonObject[] = [];
  let after = textOption(options, "after");
  for (;;) {
    const sent = { ...query, prefix, search, after, amount };
    const answer = await api.fetchObject({ method: "GET", path, query: sent, expect: 200 });
    if (!Array.isArray(answer["results"])) throw new Error("Bad response from server");
    const entries = answer["results"].filter(isObject);
    if (search !== undefined) assertSearched(entries, search);
    for (const entry of entries) results.push(entry);
    const next = nextOf(answer["pagination"]);
    if (!all || next === undefined) return { results, next, amount, answer: { ...answer, results } };
    if (next === after) throw new Error("Bad response from server: the same page again");
    after = next;
  }
}

/** Throws where a server leaves the search out, as version 0.2 and a data server do: the list would pass for what was found. */
function assertSearched(entries: readonly JsonObject[], search: string): void {
  const wanted = folded(search);
  const isFound = (entry: JsonObject): boolean =>
    Object.values(entry).some((value) => typeof value === "string" && folded(value).includes(wanted));
  if (!entries.every(isFound)) throw new Error("the server does not know --search: it lists everything");
}

/** As the service compares: a Greek sigma has two small letters. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

function nextOf(pagination: unknown): string | undefined {
  if (!isObject(pagination) || pagination["has_more"] !== true) return undefined;
  return String(pagination["next_offset"] ?? "");
}

/** True for an object that is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One page of a list. */
type ListPage = Pick<Page, "results" | "next">;

/** Results of the first page and of the largest; each page is twice as large as the one before. */
interface PageSize {
  readonly first: number;
  readonly largest: number;
}

/** The pages of a list to its end, each asked for when the one before was taken. */
export async function* eachPage(
  api: ApiClient,
  path: readonly string[],
  query: Readonly<Record<string, QueryValue>>,
  size: PageSize,
): AsyncGenerator<ListPage> {
  const ask = (after: string | undefined, amount: number) =>
    api.fetchObject({
      method: "GET",
      path,
      query: { ...query, after: after ?? query["after"], amount },
      expect: 200,
    });
  for await (const answer of eachAnswer(ask, size)) {
    const results = Array.isArray(answer["results"]) ? answer["results"].filter(isObject) : [];
    yield { results, next: nextOf(answer["pagination"]) };
  }
}

/**
 * As {@link eachPage}, with the answers as they are.
 * @param ask asks for a page; what it is after is undefined for the first one
 */
export async function* eachAnswer<
  Answer extends { readonly results?: unknown; readonly pagination?: unknown },
>(
  ask: (after: string | undefined, amount: number) => Promise<Answer>,
  { first, largest }: PageSize,
): AsyncGenerator<Answer> {
  let after: string | undefined;
  for (let amount = first; ; amount = Math.min(amount * 2, largest)) {
    const answer = await ask(after, amount);
    if (!Array.isArray(answer.results)) throw new Error("Bad response from server");
    const next = nextOf(answer.pagination);
    yield answer;
    if (next === undefined) return;
    if (next === after) throw new Error("Bad response from server: the same page again");
    after = next;
  }
}
