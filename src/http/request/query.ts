/** Queries in form encoding, each parameter at most once. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** The parameters of a query, decoded when first asked for. */
export class Query {
  readonly #text: string;
  #values: Map<string, string> | undefined;

  /** @param text the query without `?`. */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The value of a parameter, "" where it is empty, undefined where it is absent.
   * @throws AuthorizerError "invalid_request" for a query that does not decode or names a parameter twice: which of
   *   two values counts is not for us to guess
   */
  get(name: string): string | undefined {
    this.#values ??= parse(this.#text);
    return this.#values.get(name);
  }

  /** The names of all parameters. Throws as {@link get}. */
  names(): Iterable<string> {
    this.#values ??= parse(this.#text);
    return this.#values.keys();
  }

  /**
   * Whether there are no parameters but these. Whoever refuses others does not repeat their names: they may be secrets.
   * Throws as {@link get}.
   */
  hasOnly(known: ReadonlySet<string>): boolean {
    return new Set(this.names()).isSubsetOf(known);
  }
}

function parse(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const mark = pair.indexOf("=");
    const name = decoded(mark < 0 ? pair : pair.slice(0, mark));
    const value = mark < 0 ? "" : decoded(pair.slice(mark + 1));
    if (values.has(name)) throw new AuthorizerError("invalid_request", "a query parameter is given twice");
    values.set(name, value);
  }
  return values;
}

function decoded(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Neither name nor value is repeated: it may be a secret.
    throw new AuthorizerError("invalid_request", "the query is not well encoded");
  }
}
