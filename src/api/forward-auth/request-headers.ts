/** The headers of a subrequest, with those that came more than once (spec/security §2.1). */

import type { IncomingHttpHeaders } from "node:http";
import type { SentHeaders } from "../../identity/identity.ts";

/**
 * Largest number of headers. `node:http` drops headers beyond a limit of its own, and a dropped header would not be
 * checked.
 */
export const MOST_HEADERS = 500;

const NOTHING_REPEATED: ReadonlySet<string> = new Set();

/** Headers by lower-case name. */
export class RequestHeaders implements SentHeaders {
  readonly #raw: readonly string[];
  /** The reading of `node:http`, if it holds every header: no name came twice, and none is `__proto__`. */
  readonly #read: IncomingHttpHeaders | undefined;
  readonly #names: readonly string[];
  /** The own reading of {@link RequestHeaders.#raw}; made when it is needed. */
  #own: OwnReading | undefined = undefined;
  /** True if there are so many headers that some may be missing. */
  readonly tooMany: boolean;

  /**
   * @param rawHeaders name and value in turn, as `node:http` received them
   * @param read the same headers as `node:http` read them; it has done that for each request anyway
   */
  constructor(rawHeaders: readonly string[], read?: IncomingHttpHeaders) {
    this.#raw = rawHeaders;
    this.tooMany = rawHeaders.length > 2 * MOST_HEADERS;
    const names = read === undefined ? [] : Object.keys(read);
    const isWhole = read !== undefined && 2 * names.length === rawHeaders.length;
    this.#read = isWhole ? read : undefined;
    this.#names = isWhole ? names : [...this.#reading().values.keys()];
  }

  /**
   * The value; of a header that came more than once, all values joined with commas (RFC 9110, section 5.3; cookies:
   * `;`).
   */
  get(name: string): string | undefined {
    const value = this.#read?.[name];
    if (typeof value === "string") return value;
    // Every object has a member `constructor`, and `Set-Cookie` is read as a list.
    return value === undefined && this.#read !== undefined ? undefined : this.#reading().values.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  keys(): readonly string[] {
    return this.#names;
  }

  /** The value of a header that must occur once; undefined if it is missing, empty or repeated. */
  single(name: string): string | undefined {
    const value = this.get(name);
    return value === "" || this.repeated.has(name) ? undefined : value;
  }

  /** Names of headers that came more than once. */
  get repeated(): ReadonlySet<string> {
    return this.#read === undefined ? this.#reading().repeated : NOTHING_REPEATED;
  }

  /**
   * All headers as the client sent them: restores those that subrequests lose or change.
   * @param original the values from the proxy; undefined removes a header
   */
  restored({
    host,
    contentLength,
  }: Readonly<Record<"host" | "contentLength", string | undefined>>): SentHeaders {
    return new RestoredHeaders(this, host, contentLength);
  }

  #reading(): OwnReading {
    this.#own ??= readingOf(this.#raw);
    return this.#own;
  }
}

interface OwnReading {
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

function readingOf(rawHeaders: readonly string[]): OwnReading {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else {
      values.set(name, `${before}${name === "cookie" ? "; " : ","}${value}`);
      repeated.add(name);
    }
  }
  return { values, repeated };
}

const HOST = "host";
const CONTENT_LENGTH = "content-length";

/** The headers of a subrequest with two that the client sent otherwise. */
class RestoredHeaders implements SentHeaders {
  readonly #headers: RequestHeaders;
  readonly #host: string | undefined;
  readonly #contentLength: string | undefined;

  constructor(headers: RequestHeaders, host: string | undefined, contentLength: string | undefined) {
    this.#headers = headers;
    this.#host = host;
    this.#contentLength = contentLength;
  }

  get(name: string): string | undefined {
    if (name === HOST) return this.#host;
    return name === CONTENT_LENGTH ? this.#contentLength : this.#headers.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  keys(): readonly string[] {
    const others = this.#headers.keys();
    const isSame = [HOST, CONTENT_LENGTH].every((name) => this.has(name) === others.includes(name));
    if (isSame) return others;
    return [...new Set([HOST, CONTENT_LENGTH, ...others])].filter((name) => this.has(name));
  }
}
