/** The branches of a source that a mirror has: patterns over whole names. */

import { compileWildcard, type Wildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";

/** Patterns with `*` and `?`. */
export interface BranchPatterns {
  /** Empty: all branches. */
  readonly include: readonly string[];
  /** Wins over `include`. */
  readonly exclude: readonly string[];
}

/** Chooses branches by their names. */
export class BranchSelection {
  readonly #include: readonly Wildcard[];
  readonly #exclude: readonly Wildcard[];

  constructor({ include, exclude }: BranchPatterns) {
    this.#include = include.map(compileWildcard);
    this.#exclude = exclude.map(compileWildcard);
  }

  /** True for a branch that the mirror has. */
  has(branch: string): boolean {
    const isOneOf = (patterns: readonly Wildcard[]): boolean => patterns.some((one) => one.match(branch));
    return (this.#include.length === 0 || isOneOf(this.#include)) && !isOneOf(this.#exclude);
  }
}
