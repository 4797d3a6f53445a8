/** Resource patterns filed under the literal text they begin with. */

import { bindUser, isWildcardName, USER_PLACEHOLDER } from "../patterns/resource-pattern.ts";
import { compileWildcard, type Wildcard } from "../patterns/wildcard.ts";
import { type Findings, NO_STATEMENT, type Slot } from "./matches.ts";

/** Units of work of a match besides the characters. */
const PER_PATTERN = 50;

/** A pattern after its literal beginning. */
export class Tail {
  readonly slot: Slot;
  readonly #text: string;
  readonly #wildcard: Wildcard | undefined;
  /** For `${user}` followed by text without it: the text after the name. */
  readonly #afterUser: Wildcard | undefined;

  constructor(text: string, slot: Slot) {
    this.slot = slot;
    this.#text = text;
    const usesUser = text.includes(USER_PLACEHOLDER);
    this.#wildcard = usesUser ? undefined : compileWildcard(text);
    const rest = text.slice(USER_PLACEHOLDER.length);
    const single = usesUser && text.startsWith(USER_PLACEHOLDER) && !rest.includes(USER_PLACEHOLDER);
    this.#afterUser = single ? compileWildcard(rest) : undefined;
  }

  /** True when the text after the literal beginning matches for this user. */
  matches(tail: string, user: string): boolean {
    if (this.#wildcard !== undefined) return this.#wildcard.match(tail);
    if (this.#afterUser !== undefined && !isWildcardName(user)) {
      return tail.startsWith(user) && this.#afterUser.match(tail.slice(user.length));
    }
    return compileWildcard(bindUser(this.#text, user)).match(tail);
  }

  /** Reports its slot if the text after the literal beginning matches for this user. */
  report(text: string, user: string, findings: Findings): void {
    findings.work += PER_PATTERN + 2 * (text.length + this.#text.length);
    if (this.matches(text, user)) this.slot.report(findings);
  }

  /** Literal parts between wildcards and placeholders. */
  chunks(): string[] {
    return this.#text.split(USER_PLACEHOLDER).flatMap((part) => part.split(/[*?]/));
  }
}

/** All patterns with one service, account and literal beginning. */
export class PatternEntry {
  readonly service: string;
  readonly account: string;
  readonly literal: string;
  /** The pattern that ends with the literal. */
  exact: Slot | undefined;
  /** The pattern that goes on with one `*`. */
  prefix: Slot | undefined;
  tails: Tail[] | undefined;
  // What most slots say, in place of them: each object more is a wait for memory.
  #exactDeny = NO_STATEMENT;
  #exactAllow = NO_STATEMENT;
  #prefixDeny = NO_STATEMENT;
  #prefixAllow = NO_STATEMENT;

  constructor(service: string, account: string, literal: string) {
    this.service = service;
    this.account = account;
    this.literal = literal;
  }

  /** Call it once, after the last statement was added. */
  seal(): void {
    const exact = this.exact?.plain;
    if (exact !== undefined) {
      this.#exactDeny = exact.deny;
      this.#exactAllow = exact.allow;
      this.exact = undefined;
    }
    const prefix = this.prefix?.plain;
    if (prefix !== undefined) {
      this.#prefixDeny = prefix.deny;
      this.#prefixAllow = prefix.allow;
      this.prefix = undefined;
    }
  }

  /** Reports that the required resource begins with the literal. */
  reportPrefix(findings: Findings): void {
    if (this.prefix !== undefined) this.prefix.report(findings);
    else {
      if (this.#prefixDeny < findings.deny) findings.deny = this.#prefixDeny;
      if (this.#prefixAllow < findings.allow) findings.allow = this.#prefixAllow;
    }
  }

  /** Reports that the required resource is the literal. */
  reportExact(findings: Findings): void {
    if (this.exact !== undefined) this.exact.report(findings);
    else {
      if (this.#exactDeny < findings.deny) findings.deny = this.#exactDeny;
      if (this.#exactAllow < findings.allow) findings.allow = this.#exactAllow;
    }
  }
}
