/**
 * Suggests the smallest policies that allow what was used and nothing that today's policies do not, and proves both
 * (spec/decision-log §5.3).
 */

import { type Widening, widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import { type CompiledPolicies, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { allowStatements, coverOf, SingleStatements } from "./allow-statements.ts";
import type { Generalisation } from "./generalise.ts";
import { type NarrowedStatement, Narrowing, writtenStatement } from "./narrowed-statements.ts";
import { allows, neededBy, type UsedRequest } from "./used-requests.ts";

/** The question. */
interface SuggestQuestion {
  readonly partition: string;
  /** The policies of today. */
  readonly held: readonly NamedStatements[];
  /** Requests that they allow. */
  readonly used: readonly UsedRequest[];
  readonly generalise: Generalisation;
  /** Name of the suggested policy. */
  readonly name: string;
  /** The only user for whom it is; absent: for any. */
  readonly user?: string;
}

/** A suggestion that is proven. */
interface Suggestion {
  /** None where nothing was used. */
  readonly policies: readonly NamedStatements[];
  /** For each statement the statements of today of which it is a part. */
  readonly sources: readonly (readonly { readonly policy: string; readonly statement: number }[])[];
  /** The way in which resources were generalised; `none` too where more could not be proven. */
  readonly generalise: Generalisation;
  /** False: the statements of today are kept as they are, without those that nobody needs. */
  readonly narrowed: boolean;
}

/** A statement with the statements of today that it is a part of. */
interface Sourced {
  readonly statement: Statement;
  readonly from: readonly { readonly policy: string; readonly statement: number }[];
}

/** Most statements of today that are taken up again because they deny something. */
const MOST_REPAIRS = 100;

/** Returns a suggestion; undefined where none could be proven. */
export function suggestPolicies(question: SuggestQuestion): Suggestion | undefined {
  return new Suggesting(question).suggestion();
}

class Suggesting {
  readonly #question: SuggestQuestion;
  readonly #held: CompiledPolicies;
  readonly #singles: SingleStatements;
  readonly #narrowing: Narrowing;
  /** Statements of today that deny. */
  readonly #denies: readonly Sourced[];

  constructor(question: SuggestQuestion) {
    const { held, partition } = question;
    this.#question = question;
    this.#held = compile(held, { partition, evaluator: "extended" });
    this.#singles = new SingleStatements(partition);
    this.#narrowing = new Narrowing(partition, this.#singles);
    this.#denies = held.flatMap(({ name: policy, statement: all }) =>
      all.flatMap((statement, index) =>
        statement.effect === "deny" ? [{ statement, from: [{ policy, statement: index }] }] : [],
      ),
    );
  }

  suggestion(): Suggestion | undefined {
    const { used, held, generalise } = this.#question;
    if (used.length === 0) return { policies: [], sources: [], generalise, narrowed: true };
    const statements = allowStatements(held);
    const needed = used.flatMap((request) => neededBy(this.#held, request));
    const cover = coverOf(statements, needed, this.#singles);
    const ways: readonly Generalisation[] = generalise === "none" ? ["none"] : [generalise, "none"];
    for (const how of ways) {
      const parts = this.#fitting(this.#narrowing.narrowed(cover, how), statements.length);
      const sourced = parts.map((part) => ({
        statement: writtenStatement(part),
        from: [...part.sources].map(({ policy, index }) => ({ policy, statement: index })),
      }));
      const proven = this.#proven(sourced);
      if (proven !== undefined) return this.#suggested(proven, how, true);
    }
    const kept = [...cover.keys()].map(({ policy, index, statement }) => ({
      statement,
      from: [{ policy, statement: index }],
    }));
    const proven = this.#proven(kept);
    return proven && this.#suggested(proven, "none", false);
  }

  /** As many statements as there are today, at most. */
  #fitting(parts: readonly NarrowedStatement[], most: number): readonly NarrowedStatement[] {
    let some = parts;
    for (;;) {
      const merged = this.#narrowing.merged(some);
      if (merged.length <= most) return merged;
      const joined = this.#narrowing.joined(some);
      if (joined === undefined) return merged;
      some = joined;
    }
  }

  /** The statements with the denies that they need; undefined where they are not proven. */
  #proven(allowing: readonly Sourced[]): readonly Sourced[] | undefined {
    const all = this.#repaired([...allowing, ...this.#denies]);
    if (all === undefined || !this.#allowsEverything(all)) return undefined;
    let kept = all;
    for (const deny of this.#denies) {
      const without = kept.filter((one) => one !== deny);
      if (this.#wider(without) === undefined) kept = without;
    }
    const today = this.#question.held.reduce((sum, { statement }) => sum + statement.length, 0);
    return kept.length > today ? undefined : kept;
  }

  /**
   * Takes up statements of today that deny something: those that cannot be evaluated for some requests, which then are
   * refused as a whole.
   */
  #repaired(statements: readonly Sourced[]): readonly Sourced[] | undefined {
    let all = statements;
    for (let repairs = 0; repairs <= MOST_REPAIRS; repairs++) {
      const wider = this.#wider(all);
      if (wider === undefined) return all;
      const lost = wider.deniedBy;
      const found = lost && this.#ofToday(lost.policy, lost.statement);
      if (found === undefined || all.some(({ statement }) => statement === found.statement)) return undefined;
      // It is taken up as it is, in the place of the parts of it.
      const own = (one: Sourced): boolean =>
        one.from.length === 1 && one.from.every(({ policy, statement }) => isSame(found, policy, statement));
      all = [...all.filter((one) => !own(one)), found];
    }
    return undefined;
  }

  #ofToday(policy: string, index: number): Sourced | undefined {
    const statement = this.#question.held.find(({ name }) => name === policy)?.statement[index];
    return statement && { statement, from: [{ policy, statement: index }] };
  }

  /** A way in which statements allow more than today. */
  #wider(statements: readonly Sourced[]): Widening | undefined {
    const { held, partition, user } = this.#question;
    const [found] = widening(held, this.#policiesOf(statements), {
      partition,
      limit: 1,
      ...(user !== undefined && { users: [user] }),
    });
    return found;
  }

  #allowsEverything(statements: readonly Sourced[]): boolean {
    const { partition, used } = this.#question;
    const compiled = compile(this.#policiesOf(statements), { partition, evaluator: "extended" });
    return used.every((request) => allows(compiled, request));
  }

  #policiesOf(statements: readonly Sourced[]): readonly NamedStatements[] {
    if (statements.length === 0) return [];
    return [{ name: this.#question.name, statement: statements.map(({ statement }) => statement) }];
  }

  #suggested(statements: readonly Sourced[], generalise: Generalisation, narrowed: boolean): Suggestion {
    return {
      policies: this.#policiesOf(statements),
      sources: statements.map(({ from }) => from),
      generalise,
      narrowed,
    };
  }
}

function isSame({ from }: Sourced, policy: string, statement: number): boolean {
  return from.some((one) => one.policy === policy && one.statement === statement);
}
