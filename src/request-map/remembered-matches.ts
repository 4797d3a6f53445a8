/**
 * What requests of the last while matched. Reading a request is a pure function of it, and takes several times as long
 * as finding that it was read before; clients of a proxy ask for the same things again and again.
 */

import { LRUCache } from "lru-cache";
import type { MatchedRequest, UnmatchedRequest, WireRequest } from "./endpoints.ts";

/** Together at most a few MiB: what is longer is read each time. */
const MOST_REMEMBERED = 4_096;
const LONGEST = 512;

type Match = MatchedRequest | UnmatchedRequest;

/** Remembers matches of requests that consist of method and target alone. */
export class RememberedMatches {
  readonly #matches = new LRUCache<string, Match>({ max: MOST_REMEMBERED });
  readonly #headers: readonly string[];

  /** @param headers lower-case names of all headers that a row can read */
  constructor(headers: Iterable<string>) {
    this.#headers = [...headers];
  }

  /** The match, made by `read` where it is not remembered. */
  of(request: WireRequest, read: (request: WireRequest) => Match): Match {
    const { api, method, path, query } = request;
    if (path.length + query.length > LONGEST || this.#hasMore(request)) return read(request);
    // A method has no blank and a path no question mark, so that no two requests share a key.
    const key = `${api} ${method} ${path}?${query}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    const found = read(request);
    if (found.operation !== null) this.#matches.set(key, found);
    return found;
  }

  /** True where more than method and target decides. */
  #hasMore({ body, facts, bucket, method, path, header }: WireRequest): boolean {
    if (body !== undefined || facts !== undefined || bucket !== undefined) return true;
    if (method.includes(" ") || path.includes("?")) return true;
    for (const name of this.#headers) if (header(name) !== undefined) return true;
    return false;
  }
}
