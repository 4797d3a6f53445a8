/**
 * Warnings about policies that are valid but almost certainly a mistake (spec/evaluation §3, spec/evaluation §5;
 * spec/permissions §5).
 */

import type { Problem } from "../errors.ts";
import { parseArn } from "./arn.ts";
import { closestName } from "./closest-name.ts";
import { type ConditionRule, conditionWarnings } from "./condition-warnings.ts";
import { patternsMeet } from "./pattern-meeting.ts";
import type { NamedStatements } from "./policy.ts";
import { parseResourceText } from "./resource-text.ts";
import type { ResourceType } from "./resource-type.ts";
import { ResourceJudge, type ResourceRule, type ResourceWarning } from "./resource-warnings.ts";

/** The rules of lint that these warnings belong to. */
type WarningRule =
  | ConditionRule
  | ResourceRule
  | "repeated-sid"
  | "user-in-action"
  | "unknown-action"
  | "unused-action"
  | "unreachable-action"
  | "idle-action"
  | "stopped";

/** One warning. */
export interface PolicyWarning extends Problem {
  readonly rule: WarningRule;
  /** The text to write at the pointer instead. */
  readonly instead?: string;
}

/** An action of the data server. */
export interface KnownAction {
  readonly name: string;
  readonly service: string;
  /** Kinds of resources to which the action applies: names of resource types, `*`, or kinds without a type. */
  readonly resources: readonly string[];
  /** False if no endpoint requires the action. */
  readonly requiredByAnEndpoint: boolean;
  /** True for an action of a data set, which the data server does not know. */
  readonly declared?: true;
}

/** The actions and resource types that policies can name. */
export interface Vocabulary {
  readonly partition: string;
  readonly actions: ReadonlyMap<string, KnownAction>;
  readonly resourceTypes: ReadonlyMap<string, ResourceType>;
}

/** Bounds of the search for warnings: a policy can be made so that a full search takes seconds. */
interface WarningLimits {
  /** Steps of pattern comparison, a few nanoseconds each. */
  readonly steps: number;
  readonly warnings: number;
}

/** Limits for a process that also answers requests: about ten milliseconds of work (spec/security §5.3). */
export const QUICK_LIMITS: WarningLimits = { steps: 1_500_000, warnings: 100 };

const NO_LIMITS: WarningLimits = { steps: Number.POSITIVE_INFINITY, warnings: Number.POSITIVE_INFINITY };

type Warn = (rule: WarningRule, pointer: string, message: string, instead?: string) => void;

/** The vocabulary, and the budget of the search. */
class Look {
  readonly vocabulary: Vocabulary;
  #steps: number;
  /** Action pattern → the actions that it matches. Policies repeat patterns. */
  readonly #matched = new Map<string, readonly KnownAction[]>();

  /** Resource → the types whose ARNs it can match. */
  readonly #types = new Map<string, readonly string[]>();

  constructor(vocabulary: Vocabulary, steps: number) {
    this.vocabulary = vocabulary;
    this.#steps = steps;
  }

  /** The types whose ARNs a resource can match; none for an ARN whose form is not known. */
  typesOf(resource: string): readonly string[] {
    const known = this.#types.get(resource);
    if (known !== undefined) return known;
    // The work is that of judging the resource, which is counted there.
    const types = judgeOf(this.vocabulary).forms.typesOf(resource.replaceAll(USER, "*"));
    this.#types.set(resource, types);
    return types;
  }

  /** True if the budget is used up. */
  get isOver(): boolean {
    return this.#steps < 0;
  }

  /** Counts work that was done elsewhere. */
  spend(steps: number): void {
    this.#steps -= steps;
  }

  /** True if some text matches both patterns. */
  meet(left: string, right: string): boolean {
    const begin = /^[^*?]*/.exec(left)?.[0] ?? "";
    if (!WILDCARD.test(right) && !right.startsWith(begin)) return false;
    this.#steps -= left.length * right.length;
    return patternsMeet(left, right);
  }

  /** The data server's actions that a pattern matches. */
  matchedActions(pattern: string): readonly KnownAction[] {
    const { actions } = this.vocabulary;
    if (!WILDCARD.test(pattern)) {
      const action = actions.get(pattern);
      return action === undefined ? [] : [action];
    }
    const known =
      this.#matched.get(pattern) ?? [...actions.values()].filter(({ name }) => this.meet(pattern, name));
    this.#matched.set(pattern, known);
    return known;
  }
}

const WILDCARD = /[*?]/;
/** Matches the last field of an ARN that names repositories and nothing in them. */
const BARE_REPOSITORY = /^repository\/[^/]*[^/*]$/;
const USER = "${user}";

/** True if a resource of a statement can match some ARN of a kind; also for a kind without a resource type. */
function canMatch(resource: string, kind: string, look: Look): boolean {
  if (!sharesBeginning(resource, kind, look)) return false;
  if (resource === "*" || look.isOver || !look.vocabulary.resourceTypes.has(kind)) return true;
  const types = look.typesOf(resource);
  return types.length === 0 || types.includes(kind);
}

/** As {@link canMatch}, where a value of the kind's ARN may contain slashes: the ARN of an object is below its repository. */
function sharesBeginning(resource: string, kind: string, look: Look): boolean {
  const { vocabulary } = look;
  if (resource === "*") return true;
  if (kind === "*") return false;
  const type = vocabulary.resourceTypes.get(kind);
  const wanted = type === undefined ? undefined : parseArn(type.arn, vocabulary.partition);
  const arn = parseArn(resource, vocabulary.partition);
  if (wanted === undefined || arn === undefined) return true;
  if (arn.service !== wanted.service) return false;
  return (
    look.isOver || look.meet(arn.resource.replaceAll(USER, "*"), wanted.resource.replace(/\{[^{}]*\}/g, "*"))
  );
}

const PLURALS: ReadonlyMap<string, string> = new Map([
  ["branch", "branches"],
  ["repository", "repositories"],
  ["policy", "policies"],
  ["externalPrincipal", "external principals"],
]);

/** Returns the kind of resource that an action applies to, in words: `objects (arn:…/object/{key})`. */
function kindText(kind: string, { resourceTypes }: Vocabulary): string {
  if (kind === "*") return 'the resource "*" alone';
  const arn = resourceTypes.get(kind)?.arn;
  return arn === undefined ? kind : `${PLURALS.get(kind) ?? `${kind}s`} (${arn})`;
}

/** A repository named without what is in it, where the action needs just that; undefined if there is none. */
function bareRepository(
  kinds: readonly string[],
  resources: readonly string[],
  look: Look,
): string | undefined {
  const { partition } = look.vocabulary;
  return resources.find((resource) => {
    const arn = parseArn(resource, partition);
    return (
      arn?.service === "fs" && BARE_REPOSITORY.test(arn.resource) && reachable(kinds, [`${resource}/*`], look)
    );
  });
}

/** A warning about an action, without its place. */
interface ActionWarning {
  readonly rule: WarningRule;
  readonly message: string;
  readonly instead?: string;
}

function warnOfAction(
  pattern: string,
  { resources, actions }: { readonly resources: readonly string[]; readonly actions: readonly string[] },
  look: Look,
): ActionWarning | undefined {
  const { vocabulary } = look;
  if (pattern.includes(USER)) {
    const message = `${USER} is replaced in resources only; in an action it is ordinary text`;
    return { rule: "user-in-action", message };
  }
  const matched = look.matchedActions(pattern);
  const service = pattern.split(":")[0] as string;
  if (matched.length === 0) {
    const ours = [...vocabulary.actions.values()].some((action) => action.service === service);
    return ours ? unknownAction(pattern, vocabulary) : undefined;
  }
  if (!matched.some((action) => action.requiredByAnEndpoint))
    return { rule: "unused-action", message: `no endpoint of the data server requires ${pattern}` };
  if (resources.length === 0 || matched.some(({ resources: kinds }) => reachable(kinds, resources, look))) {
    return undefined;
  }
  const kinds = [...new Set(matched.flatMap((action) => action.resources))];
  const applies = kinds.map((kind) => kindText(kind, vocabulary)).join(" or ");
  const message = `${pattern} applies to ${applies}; no resource in this statement can match one`;
  if (isIdle(pattern, kinds, { resources, actions }, look)) {
    const others = `${pattern} applies to ${applies}, which this statement does not name; its other actions have an effect`;
    return { rule: "idle-action", message: others };
  }
  const bare = bareRepository(kinds, resources, look);
  return {
    rule: "unreachable-action",
    message:
      bare === undefined
        ? message
        : `${message}: ${bare} names the repository itself, ${bare}/* what is in it`,
  };
}

/** True for an action of another kind of resources, with the same beginning, than the other actions of its statement. */
function isIdle(
  pattern: string,
  kinds: readonly string[],
  { resources, actions }: { readonly resources: readonly string[]; readonly actions: readonly string[] },
  look: Look,
): boolean {
  const isNear = kinds.some((kind) => resources.some((resource) => sharesBeginning(resource, kind, look)));
  if (!isNear) return false;
  return actions.some(
    (other) =>
      other !== pattern &&
      look.matchedActions(other).some((action) => reachable(action.resources, resources, look)),
  );
}

/** An action that a service of the data server does not have, with the one that is probably meant. */
function unknownAction(pattern: string, { actions }: Vocabulary): ActionWarning {
  const message = `the data server has no action ${pattern}`;
  const meant = WILDCARD.test(pattern) ? undefined : closestName(pattern, actions.keys());
  const rule = "unknown-action";
  return meant === undefined
    ? { rule, message }
    : { rule, message: `${message} (did you mean ${meant}?)`, instead: meant };
}

/** The warning as one text, and the whole resource of the statement with this one replaced. */
function placed(
  { rule, message, meant = [] }: ResourceWarning,
  resource: string,
  resources: readonly string[],
  isSingle: boolean,
): ActionWarning {
  const [first] = meant;
  // Braces, and several ARNs in one text, stand for all of them; anything else for one.
  const isList = rule === "braces" || meant.every((one) => resource.includes(one));
  const wanted = isList ? meant : first === undefined ? [] : [first];
  if (wanted.length === 0) return { rule, message: isSingle ? message : `${resource}: ${message}` };
  const replaced = resources.flatMap((one) => (one === resource ? wanted : [one]));
  const instead = replaced.length === 1 && isSingle ? (replaced[0] as string) : JSON.stringify(replaced);
  const shown = wanted.length === 1 ? (wanted[0] as string) : JSON.stringify(wanted);
  return { rule, message: `${isSingle ? "" : `${resource}: `}${message}: write ${shown}`, instead };
}

function reachable(kinds: readonly string[], resources: readonly string[], look: Look): boolean {
  return kinds.some((kind) => resources.some((resource) => canMatch(resource, kind, look)));
}

/**
 * The warnings for whoever writes a policy, found within {@link QUICK_LIMITS}. An action without effect beside others is none:
 * it harms nobody, shipped templates have such actions, and lint notes it.
 */
export function warningsOnWrite(policy: NamedStatements, vocabulary: Vocabulary): PolicyWarning[] {
  return policyWarnings(policy, vocabulary, QUICK_LIMITS).filter(({ rule }) => rule !== "idle-action");
}

/**
 * Warnings about a policy, with JSON pointers into `{name, statement}`. The policy must satisfy `policyProblems`. There
 * are no warnings about actions of services that data sets declare. If a limit ends the search, the last warning says
 * so.
 */
export function policyWarnings(
  policy: NamedStatements,
  vocabulary: Vocabulary,
  { steps, warnings: most }: WarningLimits = NO_LIMITS,
): PolicyWarning[] {
  const look = new Look(vocabulary, steps);
  const judge = judgeOf(vocabulary);
  const warnings: PolicyWarning[] = [];
  const warn: Warn = (rule, pointer, message, instead) =>
    warnings.push({ rule, pointer, message, ...(instead !== undefined && { instead }) });
  const sids = new Set<string>();
  for (const [index, statement] of policy.statement.entries()) {
    const pointer = `/statement/${index}`;
    if (statement.sid !== undefined && sids.has(statement.sid))
      warn("repeated-sid", `${pointer}/sid`, "another statement of this policy has the same sid");
    if (statement.sid !== undefined) sids.add(statement.sid);
    const resources = parseResourceText(statement.resource) ?? [];
    const isSingle = resources[0] === statement.resource;
    for (const resource of resources) {
      if (look.isOver || warnings.length >= most) break;
      look.spend(resource.length * JUDGED);
      for (const found of judge.warnings(resource)) {
        const { rule, message, instead } = placed(found, resource, resources, isSingle);
        warn(rule, `${pointer}/resource`, message, instead);
      }
    }
    for (const [place, action] of statement.action.entries()) {
      if (look.isOver || warnings.length >= most) {
        warn(
          "stopped",
          `${pointer}/action/${place}`,
          "the check stopped here, because it takes too long: run svcctl policy lint for the rest",
        );
        return warnings;
      }
      const found = warnOfAction(action, { resources, actions: statement.action }, look);
      if (found !== undefined) warn(found.rule, `${pointer}/action/${place}`, found.message, found.instead);
    }
    const known = statement.action.flatMap((action) => look.matchedActions(action));
    // The data server asks about its own actions alone.
    const isItsOwn = known.length === 0 || known.some(({ declared }) => declared !== true);
    for (const { rule, message } of conditionWarnings(statement)) {
      if (rule === "data-server-condition" && !isItsOwn) continue;
      warn(rule, `${pointer}/condition`, message);
    }
  }
  return warnings;
}

/** Steps for each character of a resource that is judged. */
const JUDGED = 20;
/** Vocabulary → its judge, which takes a pass over all types to make. */
const JUDGES = new WeakMap<Vocabulary, ResourceJudge>();

function judgeOf(vocabulary: Vocabulary): ResourceJudge {
  const known = JUDGES.get(vocabulary);
  if (known !== undefined) return known;
  const judge = new ResourceJudge(vocabulary.resourceTypes.values(), vocabulary.partition);
  JUDGES.set(vocabulary, judge);
  return judge;
}
