/**
 * A cache of matches. Reading a request is a pure function and takes several times as long as a look-up, and clients of
 * a proxy repeat their requests.
 */

import { LRUCache } from "lru-cache";
import type { MatchedRequest, UnmatchedRequest, WireRequest } from "./endpoints.ts";

/** Bounds the cache to a few MiB; longer requests are read each time. */
const MOST_REMEMBERED = 4_096;
const LONGEST = 512;

type Match = MatchedRequest | UnmatchedRequest;

/** Caches matches of requests that consist only of method and target. */
export class RememberedMatches {
  readonly #matches = new LRUCache<string, Match>({ max: MOST_REMEMBERED });
  readonly #headers: readonly string[];

  /** @param headers lower-case names of all headers that a row can read */
  constructor(headers: Iterable<string>) {
    this.#headers = [...headers];
  }

  /** The cached match, else the result of `read`. */
  of(request: WireRequest, read: (request: WireRequest) => Match): Match {
    const { api, method, path, query } = request;
    if (path.length + query.length > LONGEST || this.#hasMore(request)) return read(request);
    // A method has no blank and a path has no question mark, so two requests never share a key.
    const key = `${api} ${method} ${path}?${query}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    const found = read(request);
    if (found.operation !== null) this.#matches.set(key, found);
    return found;
  }

  /** True if more than method and target decides the match. */
  #hasMore({ body, facts, bucket, method, path, header }: WireRequest): boolean {
    if (body !== undefined || facts !== undefined || bucket !== undefined) return true;
    if (method.includes(" ") || path.includes("?")) return true;
    for (const name of this.#headers) if (header(name) !== undefined) return true;
    return false;
  }
}
