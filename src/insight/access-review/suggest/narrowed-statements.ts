/** Statements that are narrowed to what is needed of them, and the merging of such statements. */

import { PointSearch, SearchMemory } from "@svc-authorizer/policy/analysis/compare/point-search.ts";
import type { Rule } from "@svc-authorizer/policy/analysis/compare/rules.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { AllowStatement, Cover, SingleStatements } from "./allow-statements.ts";
import { type Generalisation, generalised } from "./generalise.ts";

/** A part of a statement of today: some of its actions on resources within its own. */
export interface NarrowedStatement {
  readonly sources: ReadonlySet<AllowStatement>;
  readonly actions: ReadonlySet<string>;
  /** Patterns as they are written. */
  readonly resources: ReadonlySet<string>;
  readonly condition: Condition | undefined;
}

/** A user whose name no policy has; only patterns without `${user}` are compared for it. */
const NOBODY = "nobody";

/** Narrows statements. */
export class Narrowing {
  readonly #partition: string;
  readonly #singles: SingleStatements;
  readonly #search: PointSearch;

  constructor(partition: string, singles: SingleStatements) {
    this.#partition = partition;
    this.#singles = singles;
    this.#search = new PointSearch(NOBODY, partition, new SearchMemory());
  }

  /** Returns one narrowed statement for each source and set of resources. */
  narrowed(cover: Cover, how: Generalisation): readonly NarrowedStatement[] {
    return [...cover].flatMap(([source, needed]) => {
      const perAction = [...Map.groupBy(needed, ({ action }) => action)].map(([action, all]) => {
        const own = new Map<string, string>();
        for (const one of all) {
          const pattern = this.#singles.resourceFor(source, one);
          if (pattern !== undefined && one.resource !== undefined) own.set(one.resource, pattern);
        }
        // The gate of lists is open whatever the resource: without another one, the most exact of the statement.
        const patterns = own.size === 0 ? source.resources.slice(0, 1) : this.#patterns(own, how);
        return { action, resources: this.#least(new Set(patterns)) };
      });
      const condition = source.statement.condition ?? undefined;
      return [...Map.groupBy(perAction, ({ resources }) => keyOf(resources)).values()].map((alike) => ({
        sources: new Set([source]),
        actions: new Set(alike.map(({ action }) => action)),
        resources: alike[0]?.resources ?? new Set<string>(),
        condition,
      }));
    });
  }

  /** @param own resource → the pattern of today that matches it */
  #patterns(own: ReadonlyMap<string, string>, how: Generalisation): readonly string[] {
    const free = [...own].filter(([resource, pattern]) => isFree(pattern) && isFree(resource));
    const wide = generalised(
      free.filter(([, pattern]) => hasWildcard(pattern)).map(([resource]) => resource),
      how,
      this.#partition,
    );
    return [...own].map(([resource, pattern]) => {
      // `${user}` stands for others too, and a resource with wildcards would match more than itself.
      if (!isFree(pattern) || !isFree(resource) || hasWildcard(resource)) return pattern;
      const wanted = wide.get(resource) ?? resource;
      if (this.#covers(pattern, wanted)) return wanted;
      if (this.#covers(wanted, pattern)) return pattern;
      return resource;
    });
  }

  /** The patterns that no other of them covers. Texts without wildcards, of which there may be many, cover only themselves. */
  #least(patterns: ReadonlySet<string>): ReadonlySet<string> {
    const wide = [...patterns].filter((one) => isFree(one) && hasWildcard(one)).sort();
    if (wide.length === 0) return patterns;
    const isCovered = (one: string): boolean =>
      isFree(one) &&
      wide.some(
        (other) => other !== one && this.#covers(other, one) && (other < one || !this.#covers(one, other)),
      );
    return new Set([...patterns].filter((one) => !isCovered(one)));
  }

  #covers(wide: string, narrow: string): boolean {
    return wide === narrow || this.#search.covers(ruleOf(wide), ruleOf(narrow));
  }

  /** Merges what can be merged without allowing more: equal resources, or equal actions. */
  merged(statements: readonly NarrowedStatement[]): readonly NarrowedStatement[] {
    let all = [...statements];
    for (;;) {
      const before = all.length;
      all = this.#mergedBy(all, ({ resources }) => keyOf(resources));
      all = this.#mergedBy(all, ({ actions }) => keyOf(actions));
      if (all.length === before) return all;
    }
  }

  #mergedBy(
    statements: readonly NarrowedStatement[],
    key: (statement: NarrowedStatement) => string,
  ): NarrowedStatement[] {
    const groups = Map.groupBy(statements, (one) => `${JSON.stringify(one.condition)}\n${key(one)}`);
    return [...groups.values()].map((alike) => {
      const [only = alike[0], ...more] = alike;
      return more.length === 0 ? (only as NarrowedStatement) : this.#union(alike);
    });
  }

  #union(alike: readonly NarrowedStatement[]): NarrowedStatement {
    return {
      sources: new Set(alike.flatMap(({ sources }) => [...sources])),
      actions: new Set(alike.flatMap(({ actions }) => [...actions])),
      resources: this.#least(new Set(alike.flatMap(({ resources }) => [...resources]))),
      condition: alike[0]?.condition,
    };
  }

  /** Joins the two parts of one source by whose joining it allows least more; undefined where there are none. */
  joined(statements: readonly NarrowedStatement[]): readonly NarrowedStatement[] | undefined {
    let best: { readonly one: number; readonly other: number; readonly more: number } | undefined;
    for (const [one, first] of statements.entries()) {
      for (let other = one + 1; other < statements.length; other++) {
        const second = statements[other] as NarrowedStatement;
        if (first.sources.isDisjointFrom(second.sources)) continue;
        const union = this.#union([first, second]);
        const more = extentOf(union) - extentOf(first) - extentOf(second);
        if (best === undefined || more < best.more) best = { one, other, more };
      }
    }
    if (best === undefined) return undefined;
    const { one, other } = best;
    const union = this.#union([statements[one] as NarrowedStatement, statements[other] as NarrowedStatement]);
    return [...statements.filter((_, index) => index !== one && index !== other), union];
  }
}

/** The statement as it is written, for a policy. */
export function writtenStatement({ actions, resources, condition }: NarrowedStatement): Statement {
  const all = [...resources].sort();
  const [only = "", ...more] = all;
  return {
    effect: "allow",
    action: [...actions].sort(),
    resource: more.length === 0 ? only : JSON.stringify(all),
    ...(condition !== undefined && { condition }),
  };
}

/** A number for how much a statement allows: patterns with wildcards count for many resources. */
function extentOf({ actions, resources }: NarrowedStatement): number {
  let width = 0;
  for (const pattern of resources) width += pattern === "*" ? 100_000 : hasWildcard(pattern) ? 100 : 1;
  return actions.size * width;
}

function keyOf(texts: ReadonlySet<string>): string {
  return JSON.stringify([...texts].sort());
}

function isFree(pattern: string): boolean {
  return !pattern.includes("${");
}

function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

function ruleOf(resource: string): Rule {
  const place = { policy: "", statement: 0 };
  const always = { key: undefined, condition: undefined, reads: undefined, failure: false };
  return { place, deny: false, actions: ["*"], resources: [resource], ...always };
}
