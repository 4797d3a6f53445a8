/**
 * The grammar of filters and paths (RFC 7644, sections 3.4.2.2 and 3.5.2). The package scim2-parse-filter reads the same grammar, but
 * changes backslashes in strings, takes `not` without parentheses, and ignores what follows a complete filter.
 */

import { ScimError } from "../scim-error.ts";

/** A path to an attribute: names in the letter case of the request. */
export interface AttributePath {
  /** URN of the schema, where the path has one. */
  readonly urn?: string;
  readonly name: string;
  readonly sub?: string;
}

/** Comparison with a value. */
export type Comparison = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

/** A value of a filter. */
export type FilterValue = string | number | boolean | null;

/** A filter. */
export type Filter =
  | { readonly op: "and" | "or"; readonly left: Filter; readonly right: Filter }
  | { readonly op: "not"; readonly filter: Filter }
  | { readonly op: "pr"; readonly path: AttributePath }
  | { readonly op: Comparison; readonly path: AttributePath; readonly value: FilterValue }
  /** Some value of a list for which all of `filter` holds, and of which `then` holds. */
  | { readonly op: "values"; readonly path: AttributePath; readonly filter: Filter };

/** A path of a change: an attribute, some values of it, a part of these. */
export interface ChangePath extends AttributePath {
  readonly filter?: Filter;
}

const COMPARISONS: ReadonlySet<string> = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);
/** Deepest nesting of parentheses. */
const DEEPEST = 20;
/** Most comparisons of a filter. */
const MOST_TERMS = 100;
/** Longest text of a filter, in characters: it is read in one go. */
const LONGEST_FILTER = 16_384;

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|([()[\]])|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:$-]))|(\.?[A-Za-z$][\w$.:-]*))/y;

interface Token {
  readonly kind: "string" | "bracket" | "number" | "word" | "end";
  readonly text: string;
}

const END: Token = { kind: "end", text: "end" };

/** Reads a filter; throws {@link ScimError} "invalidFilter". */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, "invalidFilter");
  const filter = parser.or(0);
  parser.expectEnd();
  return filter;
}

/** Reads the path of a change; throws {@link ScimError} "invalidPath". */
export function parsePath(text: string): ChangePath {
  const parser = new Parser(text, "invalidPath");
  const path = parser.changePath();
  parser.expectEnd();
  return path;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #fault: "invalidFilter" | "invalidPath";
  #at = 0;
  #terms = 0;

  constructor(text: string, fault: "invalidFilter" | "invalidPath") {
    this.#fault = fault;
    if (text.length > LONGEST_FILTER) throw new ScimError(fault, `longer than ${LONGEST_FILTER} characters`);
    this.#tokens = this.#read(text);
  }

  or(depth: number): Filter {
    let left = this.#and(depth);
    while (this.#word("or")) left = { op: "or", left, right: this.#and(depth) };
    return left;
  }

  changePath(): ChangePath {
    const path = attributePath(this.#name("an attribute"));
    if (this.#peek().text !== "[") return path;
    this.#at++;
    const filter = this.or(1);
    this.#expect("]");
    const { kind, text } = this.#peek();
    if (kind !== "word" || !text.startsWith(".")) return { ...path, filter };
    this.#at++;
    return { ...path, filter, sub: text.slice(1) };
  }

  expectEnd(): void {
    if (this.#peek() !== END) throw this.#unexpected(this.#peek());
  }

  #and(depth: number): Filter {
    let left = this.#term(depth);
    while (this.#word("and")) left = { op: "and", left, right: this.#term(depth) };
    return left;
  }

  #term(depth: number): Filter {
    if (depth > DEEPEST) throw new ScimError(this.#fault, `nested deeper than ${DEEPEST} levels`);
    if (++this.#terms > MOST_TERMS) throw new ScimError(this.#fault, `more than ${MOST_TERMS} terms`);
    if (this.#peek().text === "(" && this.#peek().kind === "bracket") return this.#group(depth);
    const next = this.#tokens[this.#at + 1];
    if (next?.kind === "bracket" && next.text === "(" && this.#word("not")) {
      return { op: "not", filter: this.#group(depth) };
    }
    const path = attributePath(this.#name("an attribute"));
    if (this.#peek().text === "[") return this.#values(path, depth);
    return this.#test(path);
  }

  #group(depth: number): Filter {
    this.#expect("(");
    const filter = this.or(depth + 1);
    this.#expect(")");
    return filter;
  }

  /** `emails[type eq "work"]`, and with a part of it behind: `emails[type eq "work"].value eq "a@b"`. */
  #values(path: AttributePath, depth: number): Filter {
    this.#expect("[");
    const filter = this.or(depth + 1);
    this.#expect("]");
    const { kind, text } = this.#peek();
    if (kind !== "word" || !text.startsWith(".")) return { op: "values", path, filter };
    this.#at++;
    const right = this.#test({ name: text.slice(1) });
    return { op: "values", path, filter: { op: "and", left: filter, right } };
  }

  #test(path: AttributePath): Filter {
    const operator = this.#name("an operator such as eq").toLowerCase();
    if (operator === "pr") return { op: "pr", path };
    if (!COMPARISONS.has(operator))
      throw new ScimError(this.#fault, `unknown operator ${operator.slice(0, 20)}`);
    return { op: operator as Comparison, path, value: this.#value() };
  }

  #value(): FilterValue {
    const token = this.#peek();
    this.#at++;
    if (token.kind === "string" || token.kind === "number") return JSON.parse(token.text) as string | number;
    const word = token.text.toLowerCase();
    if (token.kind === "word" && (word === "true" || word === "false")) return word === "true";
    if (token.kind === "word" && word === "null") return null;
    throw this.#unexpected(token, "a value");
  }

  #name(wanted: string): string {
    const token = this.#peek();
    if (token.kind !== "word" || token.text.startsWith(".")) throw this.#unexpected(token, wanted);
    this.#at++;
    return token.text;
  }

  #word(word: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== "word" || text.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }

  #expect(bracket: string): void {
    const token = this.#peek();
    if (token.kind !== "bracket" || token.text !== bracket) throw this.#unexpected(token, bracket);
    this.#at++;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #unexpected({ text }: Token, wanted?: string): ScimError {
    const expected = wanted === undefined ? "" : `, expected ${wanted}`;
    return new ScimError(this.#fault, `unexpected ${text.slice(0, 40)}${expected}`);
  }

  #read(text: string): Token[] {
    const tokens: Token[] = [];
    const pattern = new RegExp(TOKEN);
    const whole = text.trimEnd();
    while (pattern.lastIndex < whole.length) {
      const at = pattern.lastIndex;
      const found = pattern.exec(whole);
      if (found === null) throw new ScimError(this.#fault, `unexpected character at position ${at + 1}`);
      const [, string, bracket, number, word] = found;
      if (string !== undefined) tokens.push({ kind: "string", text: string });
      else if (bracket !== undefined) tokens.push({ kind: "bracket", text: bracket });
      else if (number !== undefined) tokens.push({ kind: "number", text: number });
      else tokens.push({ kind: "word", text: word as string });
    }
    return tokens;
  }
}

/** `urn:…:User:name.givenName`: the URN ends at the last colon, since names of attributes have none. */
export function attributePath(text: string): AttributePath {
  const colon = text.lastIndexOf(":");
  if (colon >= 0 && /^urn:/i.test(text)) {
    // The version in a URN has a dot, too: `…:2.0:User`.
    const rest = text.slice(colon + 1);
    const [name = "", ...subs] = rest.split(".");
    const sub = subs.length === 0 ? {} : { sub: subs.join(".") };
    return { urn: text.slice(0, colon), name, ...sub };
  }
  const dot = text.indexOf(".");
  return dot < 0 ? { name: text } : { name: text.slice(0, dot), sub: text.slice(dot + 1) };
}
