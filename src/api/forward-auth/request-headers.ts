/** The headers of a subrequest, with those that came more than once (security.md §2.1). */

/**
 * Most headers that are read. `node:http` leaves out what is beyond a number of its own, and a header that is not seen
 * is one that nobody checks.
 */
const MOST_HEADERS = 500;

/** Headers by lower-case name. */
export class RequestHeaders {
  readonly #values = new Map<string, string>();
  readonly #repeated = new Set<string>();
  /** Whether there are more than can be trusted to be all. */
  readonly tooMany: boolean;

  /** @param rawHeaders name and value in turn, as `node:http` received them */
  constructor(rawHeaders: readonly string[]) {
    this.tooMany = rawHeaders.length > 2 * MOST_HEADERS;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] as string).toLowerCase();
      const value = rawHeaders[index + 1] as string;
      const before = this.#values.get(name);
      if (before === undefined) this.#values.set(name, value);
      else {
        this.#values.set(name, `${before}${name === "cookie" ? "; " : ","}${value}`);
        this.#repeated.add(name);
      }
    }
  }

  /** The value; of a header that came more than once, all values joined with commas (RFC 9110, section 5.3; cookies: `;`). */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** The value of a header that must come once; undefined where it is missing, empty or came more than once. */
  single(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === "" || this.#repeated.has(name) ? undefined : value;
  }

  /** Names of headers that came more than once. */
  get repeated(): ReadonlySet<string> {
    return this.#repeated;
  }

  /**
   * All headers as the client sent them: puts back what subrequests lose or change.
   * @param original as the proxy tells it; undefined takes a header away
   */
  restored({ host, contentLength }: Readonly<Record<"host" | "contentLength", string | undefined>>) {
    this.#put("host", host);
    this.#put("content-length", contentLength);
    return this.#values as ReadonlyMap<string, string>;
  }

  #put(name: string, value: string | undefined): void {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }
}
