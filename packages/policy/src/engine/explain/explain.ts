/**
 * Explains decisions (spec/decision-api §5): the statements that decided, the effect of every node, and near misses. It
 * walks the statements that can match instead of using the indexes, so a decision without an explanation costs nothing
 * more.
 */

import type {
  DeterminingStatement,
  Effect,
  EffectTree,
  NearMiss,
  Outcome,
  RequiredLeaf,
  RequiredPermissions,
} from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import { ConditionTests, SHOW_ALL, type ValueMask } from "../conditions/condition-tests.ts";
import { ConditionResults } from "../decide/condition-results.ts";
import { aboutLeaf, decideInSteps, type EngineRequest, onlyDeniesOwn } from "../decide/decide.ts";
import { ResourceMatchers } from "../matching/resource-matchers.ts";
import { USER_PLACEHOLDER } from "../patterns/resource-pattern.ts";
import { type CompiledStatement, matchingAction, nameOf } from "../statement.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps, unpriced } from "../work.ts";
import { type Match, Matches } from "./matches.ts";
import { nearMissesInSteps } from "./near-misses.ts";
import { OrderedStatements, placesOf } from "./ordered-statements.ts";

/** Number of statements between two steps: well under a millisecond. */
const STEP = 128;
/** Units of work of a statement that is looked at. */
const PER_VISIT = 30;
/** Number of patterns of one statement between two steps. */
const FEW_PATTERNS = 8;

/** A statement that decided; the caller adds how its policy reaches the user. */
export type Determining = Omit<DeterminingStatement, "via">;

/** A decision with its reasons. */
export interface ExplainedOutcome extends Outcome {
  readonly determining: readonly Determining[];
  readonly tree: EffectTree;
  readonly nearMisses: readonly NearMiss[];
}

/** Decides and explains, as {@link explainInSteps} does. */
export function explain(policies: CompiledPolicies, request: EngineRequest): ExplainedOutcome {
  return finish(explainInSteps(policies, request));
}

/** An estimate of the number of statement visits, which distinguishes long explanations from short ones. */
export function explanationSize(policies: CompiledPolicies, required: RequiredPermissions): number {
  return policies.size * nodesOf(required).length;
}

/**
 * Decides and explains step by step, since a tree of many leaves over many statements takes seconds. The effect is
 * that of {@link decide}.
 * @param mask replaces values of the request in the explanation
 */
export function* explainInSteps(
  policies: CompiledPolicies,
  request: EngineRequest,
  mask: ValueMask = SHOW_ALL,
): Generator<unknown, ExplainedOutcome> {
  const effects = new Map<RequiredPermissions, Effect>();
  const outcome = yield* decideInSteps(policies, request, (node, effect) => effects.set(node, effect));
  const decided = [...effects].filter(([, effect]) => effect === outcome.effect).map(([node]) => node);
  const leaves = decided.filter((node) => "action" in node);
  const determining = new Matches();
  const ordered = new OrderedStatements(policies, request.user);
  const results = new ConditionResults(request.user);
  const denying = outcome.effect === "deny";
  // The first deny ends a tree, but without it the deny of another leaf would: all of them determine the decision.
  const nodes = denying ? nodesOf(request.required) : outcome.effect === "allow" ? decided : [];
  for (const node of nodes) {
    yield* findDetermining(ordered, node, { request, denying, results, determining });
  }
  const tests = new ConditionTests(mask);
  const misses =
    outcome.effect === "neutral" ? yield* nearMissesInSteps(ordered, leaves, request, results) : [];
  const described: Determining[] = [];
  for (const one of determining.all) {
    described.push(yield* describe(one, tests));
    yield;
  }
  const nearMisses: NearMiss[] = [];
  for (const miss of misses) {
    const told = miss(tests);
    nearMisses.push("why" in told ? told : yield* told);
    yield;
  }
  return {
    ...outcome,
    determining: described,
    tree: withEffects(request.required, effects),
    nearMisses,
  };
}

/** A tree's nodes, all of them. */
function nodesOf(node: RequiredPermissions): readonly RequiredPermissions[] {
  const children = "and" in node ? node.and : "or" in node ? node.or : [];
  return [node, ...children.flatMap(nodesOf)];
}

function withEffects(
  node: RequiredPermissions,
  effects: ReadonlyMap<RequiredPermissions, Effect>,
): EffectTree {
  const effect = effects.get(node);
  const own = effect === undefined ? {} : { effect };
  if ("and" in node) return { and: node.and.map((child) => withEffects(child, effects)), ...own };
  if ("or" in node) return { or: node.or.map((child) => withEffects(child, effects)), ...own };
  return { ...node, ...own };
}

/** The parts of a search. */
interface Sought {
  readonly request: EngineRequest;
  readonly denying: boolean;
  readonly results: ConditionResults;
  /** Takes what is found. */
  readonly determining: Matches;
}

/** Finds the statements that decided a node; none for an inner node. */
function* findDetermining(
  ordered: OrderedStatements,
  node: RequiredPermissions,
  sought: Sought,
): Generator<unknown, void> {
  if ("action" in node) yield* findOfLeaf(ordered, node, sought);
  // The gate ignores denies (spec/evaluation §10).
  else if ("any_resource" in node && !sought.denying)
    yield* findOfGate(ordered, node.any_resource.action, sought.determining);
}

/** Finds all statements that open the gate of list filtering, whatever their resource (spec/evaluation §10). */
function* findOfGate(
  ordered: OrderedStatements,
  action: string,
  determining: Matches,
): Generator<unknown, void> {
  let seen = 0;
  const wellFormed = action.toWellFormed();
  for (const place of placesOf(yield* ordered.matchingInSteps(action))) {
    const statement = ordered.statements[place] as CompiledStatement;
    if (++seen % STEP === 0) yield STEP * PER_VISIT;
    if (statement.policy.statement[statement.index]?.effect !== "allow") continue;
    const pattern = matchingAction(statement, wellFormed);
    if (pattern !== undefined) determining.add(statement, pattern);
  }
}

/**
 * Finds all statements that allow, or all that deny: without them the decision would differ. A statement that cannot be
 * evaluated denies everything; it is reported with its whole resource text and no action.
 */
function* findOfLeaf(
  ordered: OrderedStatements,
  leaf: RequiredLeaf,
  { request, denying, results, determining }: Sought,
): Generator<unknown, void> {
  const asked = aboutLeaf(request, leaf);
  let seen = 0;
  // The decision about the leaf has paid for its statements.
  const matching = yield* unpriced(ordered.matchingInSteps(leaf.action));
  const reaching = yield* unpriced(ordered.reachingInSteps(matching, leaf.resource));
  const fallible = denying ? ordered.fallible : undefined;
  if (fallible !== undefined) for (const place of placesOf(fallible)) reaching[place] = 1;
  for (const place of placesOf(reaching)) {
    if (++seen % STEP === 0) yield;
    const statement = ordered.statements[place] as CompiledStatement;
    if (denying && (yield* fails(statement, asked, results)))
      determining.add(statement, "", undefined, asked);
    else if (statement.deny === denying) {
      const match = yield* matchOf(ordered, statement, leaf, asked, results);
      if (match !== undefined) determining.add(statement, match.action, match.resource, asked);
    }
  }
}

/** The first statement that allows one permission, if it is allowed; for lists of users. */
export function* firstAllowing(
  policies: CompiledPolicies,
  leaf: RequiredLeaf,
  request: Omit<EngineRequest, "required">,
): Steps<CompiledStatement | undefined> {
  const by = { policies, resources: new ResourceMatchers(request.user, policies.options.partition) };
  const results = new ConditionResults(request.user);
  let work = 0;
  for (const statement of policies.statementsMatching(leaf.action.toWellFormed())) {
    work += PER_ITEM * (1 + (statement.resources?.length ?? 0));
    if (work > STEP_UNITS) {
      yield work;
      work = 0;
    }
    if (statement.deny) continue;
    if ((yield* matchOf(by, statement, leaf, request, results)) !== undefined) return statement;
  }
  return undefined;
}

function* describe({ statement, action, resource, asked }: Match, tests: ConditionTests): Steps<Determining> {
  const written = statement.policy.statement[statement.index];
  const conditions = asked === undefined ? [] : yield* tests.of(statement.condition, asked);
  return {
    ...nameOf(statement),
    effect: written?.effect ?? "",
    action,
    resource: resource ?? written?.resource ?? "",
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(statement.unknownMember === undefined ? {} : { unknown_member: statement.unknownMember }),
  };
}

/**
 * True when the statement's evaluation is an error, which denies every request (spec/evaluation §2.1,
 * spec/evaluation §2.2).
 */
function* fails(
  { condition, resources }: CompiledStatement,
  { context }: EngineRequest,
  results: ConditionResults,
): Steps<boolean> {
  const result = condition === undefined ? "satisfied" : yield* results.of(condition, context);
  return result === "error" || (resources === undefined && result !== "unsatisfied");
}

/** Compares resources first, since they exclude most statements at the least cost. */
function* matchOf(
  { policies, resources }: Pick<OrderedStatements, "policies" | "resources">,
  statement: CompiledStatement,
  leaf: RequiredLeaf,
  { user, context }: Omit<EngineRequest, "required">,
  results: ConditionResults,
): Steps<{ readonly action: string; readonly resource: string } | undefined> {
  const onlyDenies = onlyDeniesOwn(policies, user) && !statement.deny;
  let resource: string | undefined;
  for (const [index, pattern] of (statement.resources ?? []).entries()) {
    // One statement may have a hundred patterns that each take a millisecond; whoever asks pays for the statement.
    if (index % FEW_PATTERNS === FEW_PATTERNS - 1) yield 0;
    if (onlyDenies && pattern.includes(USER_PLACEHOLDER)) continue;
    if (!resources.matches(pattern, leaf.resource)) continue;
    resource = pattern;
    break;
  }
  if (resource === undefined) return undefined;
  const action = matchingAction(statement, leaf.action.toWellFormed());
  if (action === undefined) return undefined;
  const { condition } = statement;
  const result = condition === undefined ? "satisfied" : yield* results.of(condition, context);
  if (result === "unsatisfied" || (result === "unreadable" && !statement.deny)) return undefined;
  return { action, resource };
}
