/** The headers of a subrequest, with those that came more than once (security.md §2.1). */

/**
 * Largest number of headers. `node:http` drops headers beyond a limit of its own, and a dropped header would not be
 * checked.
 */
export const MOST_HEADERS = 500;

/** Headers by lower-case name. */
export class RequestHeaders {
  readonly #values = new Map<string, string>();
  readonly #repeated = new Set<string>();
  /** True if there are so many headers that some may be missing. */
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

  /**
   * The value; of a header that came more than once, all values joined with commas (RFC 9110, section 5.3; cookies:
   * `;`).
   */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** The value of a header that must occur once; undefined if it is missing, empty or repeated. */
  single(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === "" || this.#repeated.has(name) ? undefined : value;
  }

  /** Names of headers that came more than once. */
  get repeated(): ReadonlySet<string> {
    return this.#repeated;
  }

  /**
   * All headers as the client sent them: restores those that subrequests lose or change.
   * @param original the values from the proxy; undefined removes a header
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
