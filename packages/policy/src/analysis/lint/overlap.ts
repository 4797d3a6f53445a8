/** Statements of one policy that leave nothing of each other, or say the same. */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import { statementPlace } from "../../model/statement-words.ts";
import { PointSearch, SearchMemory } from "../compare/point-search.ts";
import { type Rule, rulesOf } from "../compare/rules.ts";

/** One finding: its rule, the index of the statement that is of no use, and why. */
interface Overlap {
  readonly rule: "dead-allow" | "equal-statements" | "covered-statement" | "stopped";
  readonly statement: number;
  readonly message: string;
}

/** A name that no policy spells, for `${user}`. */
const USER = "\u{10FFFD}";
/** Most comparisons of two patterns: a fraction of a second. */
const MOST_COMPARISONS = 1_000_000;

/** The statement as a text that is equal for statements that decide the same. */
function contentOf({ effect, action, resource, condition }: Statement): string {
  return JSON.stringify([effect, [...new Set(action)].sort(), resource, condition ?? null]);
}

function nameOf({ sid }: Statement, index: number): string {
  return statementPlace(index, sid);
}

/** The findings of a policy that satisfies `policyProblems`. */
export function overlaps(policy: NamedStatements, partition: string): Overlap[] {
  const found: Overlap[] = [];
  const first = new Map<string, number>();
  const repeats = new Set<number>();
  for (const [index, statement] of policy.statement.entries()) {
    const content = contentOf(statement);
    const earlier = first.get(content);
    if (earlier === undefined) {
      first.set(content, index);
      continue;
    }
    repeats.add(index);
    const other = nameOf(policy.statement[earlier] as Statement, earlier);
    found.push({
      rule: "equal-statements",
      statement: index,
      message: `is the same as ${other}: remove one`,
    });
  }
  return [...found, ...coverings(policy, partition, repeats)];
}

function weightOf({ actions, resources }: Rule): number {
  return actions.length + resources.length;
}

function coverings(policy: NamedStatements, partition: string, repeats: ReadonlySet<number>): Overlap[] {
  const { allows, denies } = rulesOf([policy], partition);
  const rules = [...allows, ...denies].filter(
    ({ failure, place }) => !failure && !repeats.has(place.statement),
  );
  const wide = rules.filter(({ key }) => key === undefined);
  const weight = rules.reduce((sum, rule) => sum + weightOf(rule), 0);
  if (weight * wide.reduce((sum, rule) => sum + weightOf(rule), 0) > MOST_COMPARISONS) {
    const message = "the policy is too large to look for statements that leave nothing of each other";
    return [{ rule: "stopped", statement: 0, message }];
  }
  const search = new PointSearch(USER, partition, new SearchMemory());
  const named = ({ place }: Rule): string =>
    nameOf(policy.statement[place.statement] as Statement, place.statement);
  return rules.flatMap((rule): Overlap[] => {
    const covering = wide.filter((other) => other !== rule && search.covers(other, rule));
    const { statement } = rule.place;
    const denying = rule.deny ? undefined : covering.find(({ deny }) => deny);
    if (denying !== undefined) {
      const message = `allows nothing: ${named(denying)} denies all of it`;
      return [{ rule: "dead-allow", statement, message }];
    }
    const same = covering.find(
      (other) =>
        other.deny === rule.deny &&
        // Of two that cover each other, the later one is of no use.
        (other.place.statement < statement || rule.key !== undefined || !search.covers(rule, other)),
    );
    if (same === undefined) return [];
    const message = `has no effect: ${named(same)} ${rule.deny ? "denies" : "allows"} all of it`;
    return [{ rule: "covered-statement", statement, message }];
  });
}
