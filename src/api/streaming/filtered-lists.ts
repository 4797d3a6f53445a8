/**
 * Lists of repositories, filtered for one user (spec/exchange §7): the data server answers its one user with all, so it is
 * asked page after page, and each repository is decided about as the data server itself would for its users.
 */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import type { DataServerAnswer } from "./data-server.ts";

/** The query of a list. */
interface ListQuery {
  readonly prefix: string;
  readonly search: string;
  readonly after: string;
  /** Repositories of the page that is asked for. */
  readonly amount: number;
}

/** Whoever answers and decides. */
export interface ListParts {
  /** Asks the data server for a path of its main API. */
  readonly ask: (target: string) => Promise<DataServerAnswer>;
  /** Indexes of the repositories that the user may list, ascending. */
  readonly filter: (ids: readonly string[]) => Promise<readonly number[]>;
  /** Tells that the work goes on. */
  readonly progress: () => void;
  /** Seals the place where the list of a request goes on; it may name what the user may not list. */
  readonly seal: (after: string, request: string) => string;
  /** The place; undefined for a text that was not sealed for the request. */
  readonly open: (sealed: string, request: string) => string | undefined;
}

/** A repository as the data server describes it; its other members are passed on as they are. */
interface Repository {
  readonly id: string;
  readonly creation_date?: unknown;
}

interface Page {
  readonly repositories: readonly Repository[];
  /** The offset of the next page; undefined at the end. */
  readonly next: string | undefined;
}

/** A page of the data server, or the answer with which it refused. */
type Asked = Page | { readonly refusal: DataServerAnswer };

const PER_PAGE = 100;
/** Most repositories on a page of the data server. */
const MOST = 1000;
/** Pages that one request reads; a list of which nothing is found goes on with the next request. */
const MOST_PAGES = 50;
/** The beginning of a sealed place, which is no name. */
const SEALED = "~";
const ID = /^[a-z0-9][a-z0-9-]{0,127}$/;
const CREATED_MOST = 8_640_000_000_000;

/** A page of `GET /repositories`. */
export async function listRepositories(parts: ListParts, query: string): Promise<Reply> {
  const asked = listQuery(query);
  const request = JSON.stringify([asked.prefix, asked.search]);
  const found = await refilled(parts, { ...asked, after: opened(parts, asked.after, request) }, asked.amount);
  if ("refusal" in found) return replyOf(found.refusal);
  const { repositories: results } = found;
  const isShown = found.next === undefined || found.next === results.at(-1)?.id;
  const next = isShown ? found.next : SEALED + parts.seal(found.next ?? "", request);
  const pagination = {
    has_more: next !== undefined,
    next_offset: next ?? "",
    results: results.length,
    max_per_page: MOST,
  };
  return { status: 200, body: JSON.stringify({ pagination, results }) };
}

/** The name after which a list goes on. */
function opened(parts: ListParts, after: string, request: string): string {
  if (!after.startsWith(SEALED)) return after;
  const name = parts.open(after.slice(SEALED.length), request);
  if (name === undefined) throw new RequestRefused(400, "after is no offset of this list");
  return name;
}

/** All buckets, as ListBuckets answers. */
export async function listBuckets(parts: ListParts, query: string): Promise<Reply> {
  const prefix = new URLSearchParams(query).get("prefix") ?? "";
  const all = await refilled(
    parts,
    { prefix, search: "", after: "", amount: MOST },
    Number.POSITIVE_INFINITY,
  );
  if ("refusal" in all) return replyOf(all.refusal);
  if (all.next !== undefined) throw new RequestRefused(503, "there are too many repositories for one list");
  const buckets = all.repositories.map(({ id, creation_date: created }) => {
    const seconds = typeof created === "number" && Math.abs(created) < CREATED_MOST ? created : 0;
    const date = new Date(seconds * 1000).toISOString();
    return `<Bucket><CreationDate>${date}</CreationDate><Name>${escapeHtml(id)}</Name></Bucket>`;
  });
  const content = `<Buckets>${buckets.join("")}</Buckets><Owner><DisplayName></DisplayName><ID></ID></Owner>`;
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<ListAllMyBucketsResult>${content}</ListAllMyBucketsResult>`;
  return { status: 200, body, type: "application/xml" };
}

/** An answer of the data server as it is. */
export function replyOf({ status, headers, type, body }: DataServerAnswer): Reply {
  return { status, headers, ...(body === "" ? {} : { body, ...(type !== undefined && { type }) }) };
}

/** Reads pages until enough repositories are found that the user may list. */
async function refilled(parts: ListParts, asked: ListQuery, wanted: number): Promise<Asked> {
  const found: Repository[] = [];
  let after = asked.after;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    parts.progress();
    const page = await pageOf(parts, { ...asked, after });
    if ("refusal" in page) return page;
    const { repositories, next } = page;
    for (const index of await parts.filter(repositories.map(({ id }) => id))) {
      if (found.length === wanted) return { repositories: found, next: found.at(-1)?.id };
      found.push(repositories[index] as Repository);
    }
    if (next === undefined) return { repositories: found, next: undefined };
    // A list that does not go on would never end.
    if (next <= after && after !== "") throw unreadable();
    after = next;
  }
  return { repositories: found, next: after };
}

async function pageOf({ ask }: ListParts, { prefix, search, after }: ListQuery): Promise<Asked> {
  const query = new URLSearchParams({ amount: String(MOST) });
  for (const [name, value] of Object.entries({ prefix, search, after })) {
    if (value !== "") query.set(name, value);
  }
  const answer = await ask(`/api/v1/repositories?${query}`);
  if (answer.status !== 200) return { refusal: answer };
  const { pagination, results } = parsed(answer.body);
  if (!Array.isArray(results) || !results.every(isRepository)) throw unreadable();
  const { has_more: hasMore, next_offset: next } = (pagination ?? {}) as Record<string, unknown>;
  if (typeof hasMore !== "boolean" || (hasMore && (typeof next !== "string" || next === "")))
    throw unreadable();
  return { repositories: results, next: hasMore ? String(next) : undefined };
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value = parseJsonText(body);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw unreadable();
}

function isRepository(value: unknown): value is Repository {
  if (typeof value !== "object" || value === null || !("id" in value)) return false;
  return typeof value.id === "string" && ID.test(value.id);
}

function unreadable(): RequestRefused {
  return new RequestRefused(502, "the data server's list of repositories cannot be read", [], "unavailable");
}

/** The data server reads the first value of a name; an amount that is none it takes for its default. */
function listQuery(query: string): ListQuery {
  const given = new URLSearchParams(query);
  const amount = given.get("amount") ?? "";
  if (!/^(?:|-?\d{1,9})$/.test(amount)) throw new RequestRefused(400, "amount must be a number");
  const wanted = Number(amount);
  return {
    prefix: given.get("prefix") ?? "",
    search: given.get("search") ?? "",
    after: given.get("after") ?? "",
    amount: wanted <= 0 ? PER_PAGE : Math.min(wanted, MOST),
  };
}
