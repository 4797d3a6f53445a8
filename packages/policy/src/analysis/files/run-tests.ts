/** Runs the cases of policy tests through the engine, and counts which statements decided any of them. */

import { compile } from "../../engine/compile/compile.ts";
import { type ExplainedOutcome, explain } from "../../engine/explain/explain.ts";
import type { DeterminingStatement, Effect, Explanation, RequiredPermissions } from "../../model/decision.ts";
import { type AskedQuestion, doubtText, type QuestionJudge } from "../../model/question-judge.ts";
import { isMissing, type PolicyWorld } from "./policy-world.ts";
import type { Expectation, ExpectedStatement, TestCase, TestRequest } from "./test-file.ts";

/** An explanation without the fields that only a server knows. */
export type OfflineExplanation = Pick<Explanation, "effect" | "determining" | "tree" | "near_misses">;

/** The result of a case, with the requests that failed. */
export interface CaseResult {
  readonly case: TestCase;
  readonly passed: boolean;
  readonly failures: readonly CaseFailure[];
  /** Registered properties that conditions read and that the files do not say. */
  readonly unknown: readonly string[];
  /** Doubts that a service asks what is refused as expected: such a refusal proves nothing. */
  readonly doubts: readonly string[];
  readonly milliseconds: number;
}

/** One request of a case that was not answered as expected. */
export interface CaseFailure {
  readonly message: string;
  readonly request?: TestRequest;
  readonly explanation?: OfflineExplanation;
}

/** Counts how often statements were among those that decided. */
export class Coverage {
  readonly #hits = new Map<string, number>();

  static #key(policy: string, statement: number): string {
    return JSON.stringify([policy, statement]);
  }

  /** Counts the statements that decided. */
  add(determining: readonly DeterminingStatement[]): void {
    for (const { policy, statement } of determining) {
      const key = Coverage.#key(policy, statement);
      this.#hits.set(key, (this.#hits.get(key) ?? 0) + 1);
    }
  }

  /** Number of decisions in which a statement took part. */
  hits(policy: string, statement: number): number {
    return this.#hits.get(Coverage.#key(policy, statement)) ?? 0;
  }
}

/** An explained decision in the form that the API gives (spec/decision-api §5). */
export function offlineExplanation(
  outcome: ExplainedOutcome,
  viaOf: (policy: string) => DeterminingStatement["via"],
): OfflineExplanation {
  const { effect, determining, tree, nearMisses } = outcome;
  return {
    effect,
    determining: determining.map((one) => ({ ...one, via: viaOf(one.policy) })),
    tree,
    near_misses: nearMisses,
  };
}

function fits(expected: Expectation, effect: Effect): boolean {
  return expected === "refused" ? effect !== "allow" : expected === effect;
}

function isAmong(
  { policy, statement, sid }: ExpectedStatement,
  determining: readonly DeterminingStatement[],
): boolean {
  return determining.some(
    (one) =>
      one.policy === policy &&
      (statement === undefined || one.statement === statement) &&
      (sid === undefined || one.sid === sid),
  );
}

function nameOf({ policy, statement, sid }: ExpectedStatement): string {
  const which = [statement, sid].filter((one) => one !== undefined);
  return which.length === 0 ? `policy ${policy}` : `policy ${policy}, statement ${which.join(" ")}`;
}

function runRequest(
  world: PolicyWorld,
  test: TestCase,
  request: TestRequest,
  partition: string,
  coverage: Coverage,
  missing: Set<string>,
): CaseFailure | undefined {
  const held = world.heldBy(request.user, test);
  if (isMissing(held)) return { message: held.join("; "), request };
  const via = new Map(held.map((one) => [one.policy.name, one.via]));
  const compiled = compile(
    held.map(({ policy }) => policy),
    { partition, evaluator: "extended" },
  );
  const { user, required } = request;
  const { unknown, ...fields } = world.registered.fieldsOf(user, required, test.context, compiled);
  for (const field of unknown) missing.add(field);
  const outcome = explain(compiled, { user, required, ...fields });
  const explanation = offlineExplanation(outcome, (policy) => via.get(policy) ?? []);
  coverage.add(explanation.determining);
  if (!fits(test.expect, outcome.effect)) {
    return { message: `expected ${test.expect}, got ${outcome.effect}`, request, explanation };
  }
  const absent = test.decidedBy.filter((one) => !isAmong(one, explanation.determining));
  if (absent.length === 0) return undefined;
  const message = `expected ${absent.map(nameOf).join(" and ")} among the statements that decide`;
  return { message, request, explanation };
}

/** The questions of a tree of permissions. */
function questionsOf(required: RequiredPermissions): readonly AskedQuestion[] {
  if ("action" in required) return [required];
  if ("any_resource" in required) return [required.any_resource];
  return ("and" in required ? required.and : required.or).flatMap(questionsOf);
}

/** The doubts about the requests of a case that is to be refused. */
function doubtsOf({ expect, requests }: TestCase, judge: QuestionJudge): readonly string[] {
  if (expect === "allow") return [];
  const leaves = new Map(
    requests.flatMap(({ required }) => questionsOf(required)).map((leaf) => [JSON.stringify(leaf), leaf]),
  );
  return [...new Set([...leaves.values()].flatMap((leaf) => judge.doubts(leaf).map(doubtText)))];
}

/**
 * Runs one case: each of its requests must be decided as expected.
 * @param judge judges questions by the catalog and the resource types of the world
 */
export function runCase(
  world: PolicyWorld,
  test: TestCase,
  { partition, coverage, judge }: { partition: string; coverage: Coverage; judge: QuestionJudge },
): CaseResult {
  const start = performance.now();
  const unknown = new Set<string>();
  const failures = test.requests
    .map((request) => runRequest(world, test, request, partition, coverage, unknown))
    .filter((failure) => failure !== undefined);
  return {
    case: test,
    passed: failures.length === 0,
    failures,
    unknown: [...unknown],
    doubts: doubtsOf(test, judge),
    milliseconds: performance.now() - start,
  };
}
