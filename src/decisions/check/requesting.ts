/**
 * Decisions about whole requests of a data server (spec/decision-api §3 `/request`; spec/security §2.4, spec/security §2.5).
 */

import {
  decideAtOnce,
  decideInSteps,
  decideOne,
  isShort,
} from "@svc-authorizer/policy/engine/decide/decide.ts";
import { decideSetsInSteps, openLeaves } from "@svc-authorizer/policy/engine/decide/decide-sets.ts";
import {
  type DecidingPlace,
  DecidingStatements,
} from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { finishWithin } from "@svc-authorizer/policy/engine/work.ts";
import type { Outcome, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { type RequiredOnSets, shownSet } from "@svc-authorizer/policy/model/resource-set.ts";
import type { Endpoints, MatchedRequest, PerItem } from "../../request-map/endpoints.ts";
import type { Scheduler, Waiter, WorkBudget } from "../../schedule/scheduler.ts";
import { type CachedPrincipal, policiesOf, type UserPolicies } from "../cached-principal.ts";
import { nextAttempt } from "../one-state.ts";
import { isUser, type Principals } from "../principals.ts";
import type { RequestAnswer, RequestCheck } from "../requests.ts";
import type { Subjects } from "../subjects/subjects.ts";
import type { UnknownReason } from "../subjects/unknown-reason.ts";
import { UNKNOWN_TEXTS } from "../subjects/unknown-reason.ts";
import { answerAfter } from "./deciding.ts";
import type { DecisionRecorder, RecordedQuestion } from "./decision-recorder.ts";
import { mayEverything } from "./may-everything.ts";
import type { NativeFields, TreeFields } from "./native-fields.ts";

/** Number of statements from which an open set is compared with them in slices. */
const MANY_STATEMENTS = 200;

/** Units of work of a comparison that is made at once: about a millisecond. */
const QUICK = 1_000_000;

const ALLOWED: Outcome = { effect: "allow" };
/** A permission that is never granted; it replaces an empty tree. */
const NEVER: RequiredOnSets = { or: [] };

/** Options of {@link Requesting}. */
interface RequestingOptions {
  readonly endpoints: Endpoints;
  readonly principals: Pick<Principals, "generation">;
  readonly subjects: Subjects;
  readonly scheduler: Scheduler;
  readonly workBudget: (waiter?: Waiter) => WorkBudget;
  readonly recorder: DecisionRecorder;
  readonly native: NativeFields;
  readonly limits: RequestLimits;
}

/** Limits of the permissions of one request, since its body can name anything. */
export interface RequestLimits {
  /** Most permissions (`authorizer.limits.tree_nodes`). */
  readonly treeNodes: number;
  /** Longest ARN in bytes (`authorizer.limits.arn_bytes`). */
  readonly arnBytes: number;
  /** Most units of work (`authorizer.limits.work`). */
  readonly work: number;
}

/** The permissions of a matched request. */
interface Needed {
  readonly operation: string | null;
  readonly required: RequiredOnSets | null;
  /** `required` for people. */
  readonly shown: RequiredPermissions | null;
  readonly perItem: PerItem | undefined;
  /** True if every leaf has one ARN. */
  readonly exact: boolean;
  /** The exceeded limit. */
  readonly excess: string | undefined;
}

type Refusal = NonNullable<RequestAnswer["reason"]>;

/** The input of the decision; nothing for what is refused without one. */
interface DecidedWith extends Partial<Pick<RecordedQuestion, "context" | "contextOf" | "decidedBy">> {
  readonly loaded?: UserPolicies;
  readonly error?: Refusal | undefined;
}

/** A question with its analysis. */
interface Asked {
  readonly check: RequestCheck;
  readonly needed: Needed;
  /** The reason why only somebody may who may do everything with repositories. */
  readonly everything?: string | undefined;
  readonly attempt?: number;
  /** That of the directory when the attempt began. */
  readonly generation?: number;
}

const NOTHING: Needed = {
  operation: null,
  required: null,
  shown: null,
  perItem: undefined,
  exact: true,
  excess: undefined,
};

/** Applies the permission tables. */
export class Requesting {
  readonly #options: RequestingOptions;
  readonly #lookup = new Lookup();
  /** Analyses of matches. The same request gives the same match object. */
  readonly #needed: Readonly<Record<RequestCheck["items"], WeakMap<MatchedRequest, Needed>>> = {
    required: new WeakMap(),
    told: new WeakMap(),
  };

  constructor(options: RequestingOptions) {
    this.#options = options;
  }

  /** Synchronous if the user is cached and few sets are open. */
  request(check: RequestCheck): RequestAnswer | Promise<RequestAnswer> {
    return this.#attempt(check, 0);
  }

  #attempt(check: RequestCheck, attempt: number): RequestAnswer | Promise<RequestAnswer> {
    const { generation } = this.#options.principals;
    const found = this.#options.endpoints.match(check.request);
    if (found.operation === null) {
      return this.#refused({ check, needed: NOTHING }, found.message, found.reason);
    }
    const { match, refused, everything } = check.rules?.(found, check.request.api) ?? { match: found };
    const needed = this.#neededBy(match, check.items);
    const asked: Asked = { check, needed, everything, attempt, generation };
    if (refused !== undefined) return this.#refused(asked, refused);
    const { user } = check;
    if (user === undefined) {
      // Empty is never allow: only a row that says so is open.
      const open = match.authentication === "none" && needed.required === null;
      return open
        ? this.#answer(asked, ALLOWED)
        : this.#refused(asked, "nobody is authenticated", "unauthenticated");
    }
    if (match.bodyMissing && check.missingBody === "deny") {
      return this.#refused(asked, `the body that ${match.operation} is decided by is not at hand`);
    }
    if (needed.excess !== undefined) return this.#refused(asked, needed.excess);
    const { groups, token, mayBeUser, signed, asserter = check.call?.caller } = check;
    const subject = { user, groups, token, asserter, mayBeUser, signed };
    const { subjects } = this.#options;
    const subjectFound = subjects.find(subject, needed.shown ?? { and: [] });
    if (!(subjectFound instanceof Promise)) return this.#decided(asked, subjectFound);
    return subjectFound.then((known) =>
      known === undefined ? this.#unknown(asked, subjects.whyUnknown(subject)) : this.#decided(asked, known),
    );
  }

  #neededBy(match: MatchedRequest, items: RequestCheck["items"]): Needed {
    let needed = this.#needed[items].get(match);
    if (needed === undefined) {
      needed = neededBy(match, items, this.#options.limits);
      this.#needed[items].set(match, needed);
    }
    return needed;
  }

  #unknown(asked: Asked, reason: UnknownReason): RequestAnswer | Promise<RequestAnswer> {
    return this.#refused(asked, UNKNOWN_TEXTS[reason], reason);
  }

  #decided(asked: Asked, user: CachedPrincipal): RequestAnswer | Promise<RequestAnswer> {
    const { check } = asked;
    if (!isUser(user, check.userId)) return this.#unknown(asked, "unknown_user");
    const { needed, everything } = asked;
    if (everything !== undefined && !mayEverything(user.policies)) {
      return this.#refused(
        asked,
        `${everything}, and only an unconditional allow of fs:* on * may bring them`,
      );
    }
    const { required, shown } = needed;
    if (required === null || shown === null) return this.#answer(asked, ALLOWED);
    const fields = this.#options.native.of(check.context, user, shown);
    const decided = (found: TreeFields) => this.#decidedWith(asked, { required, shown }, user, found);
    if (!(fields instanceof Promise)) return decided(fields);
    const { attempt = 0, generation } = asked;
    return fields.then((read) =>
      this.#options.principals.generation === generation
        ? decided(read)
        : this.#attempt(check, nextAttempt(attempt)),
    );
  }

  #decidedWith(
    asked: Asked,
    { required, shown }: { readonly required: RequiredOnSets; readonly shown: RequiredPermissions },
    cached: CachedPrincipal,
    fields: TreeFields,
  ): RequestAnswer | Promise<RequestAnswer> {
    const { scheduler, workBudget, recorder } = this.#options;
    const { principal, policies } = cached;
    const loaded = policiesOf(cached);
    const user = principal.username;
    const isQuick = isShort(shown);
    if (isQuick && asked.needed.exact && "action" in shown) {
      const { context, contextOf } = fields;
      const own = { loaded, user, context: contextOf === undefined ? context : contextOf(shown.resource) };
      const outcome = decideOne(policies, shown, own, this.#lookup);
      if (outcome !== undefined) return this.#answer(asked, outcome, own, this.#lookup.place());
    }
    const noted = recorder.notesStatements ? { decidedBy: new DecidingStatements() } : {};
    const answer = (outcome: Outcome) => this.#answer(asked, outcome, { loaded, ...noted, ...fields });
    const who = { user, ...fields, ...noted };
    const options = () => ({ budget: workBudget(asked.check.call) });
    // Without an open leaf, the tree for people is the tree itself, and the indexes decide.
    if (asked.needed.exact) {
      const request = { ...who, required: shown };
      const outcome = isQuick ? decideAtOnce(policies, request, this.#lookup) : undefined;
      if (outcome !== undefined) return answer(outcome);
      return scheduler.run(decideInSteps(policies, request), options()).then(answer);
    }
    const request = { ...who, required };
    const steps = decideSetsInSteps(policies, request);
    if (policies.size <= MANY_STATEMENTS && isQuick) {
      const decided = finishWithin(steps, QUICK);
      if (decided !== undefined) return answer(decided.value);
    }
    return scheduler.run(steps, options()).then(answer);
  }

  #refused(asked: Asked, why: string, error?: Refusal): RequestAnswer | Promise<RequestAnswer> {
    return this.#answer(asked, { effect: "neutral", message: `insufficient permissions: ${why}` }, { error });
  }

  #answer(
    asked: Asked,
    outcome: Outcome,
    decided: DecidedWith = {},
    place?: DecidingPlace,
  ): RequestAnswer | Promise<RequestAnswer> {
    const { check, needed } = asked;
    const { recorder } = this.#options;
    const { loaded, error, context = check.context, contextOf, decidedBy } = decided;
    const { user = null, credential } = check;
    const { operation, shown: required } = needed;
    const question = { user, credential, operation, required, context, contextOf, decidedBy, error };
    const { id = recorder.nextId(), written } = recorder.record(outcome, question, check, loaded, place);
    return answerAfter(written, answerOf(asked, outcome, error, id));
  }
}

function answerOf(
  { needed }: Asked,
  outcome: Outcome,
  reason: RequestAnswer["reason"],
  id: string,
): RequestAnswer {
  const { operation, shown: required, perItem } = needed;
  const { effect, message } = outcome;
  const allowed = effect === "allow";
  // In one go: nearly every request is allowed.
  if (message === undefined && reason === undefined && perItem === undefined) {
    return { operation, required, allowed, effect, id };
  }
  return {
    operation,
    required,
    allowed,
    ...outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(perItem === undefined ? {} : { perItem: told(perItem) }),
    id,
  };
}

function told({ over, action, resource }: PerItem): NonNullable<RequestAnswer["perItem"]> {
  return { over, action, resource };
}

function neededBy(match: MatchedRequest, items: RequestCheck["items"], limits: RequestLimits): Needed {
  const required = requiredOf(match, items);
  return {
    operation: match.operation,
    required,
    shown: required === null ? null : shownTree(required),
    perItem: items === "told" ? match.perItem : undefined,
    exact: required === null || openLeaves(required).length === 0,
    excess: excessOf(required, limits),
  };
}

/**
 * The permissions to decide about. The caller filters the items only if it is told about them, sees them in the answer
 * of the server, and other permissions decide about the request. Otherwise the action is needed on every ARN that an
 * item can have.
 */
function requiredOf(match: MatchedRequest, items: RequestCheck["items"]): RequiredOnSets | null {
  const { perItem, bodyMissing } = match;
  const required = match.required === null ? null : closed(match.required);
  if (perItem === undefined) return required;
  if (items === "told" && required !== null && !bodyMissing) return required;
  const every: RequiredOnSets = { action: perItem.action, resource: perItem.all };
  return required === null ? every : { and: [required, every] };
}

/** The limit that a tree exceeds, or undefined. */
function excessOf(tree: RequiredOnSets | null, { treeNodes, arnBytes }: RequestLimits): string | undefined {
  const leaves = tree === null ? [] : leavesOf(tree);
  if (leaves.length > treeNodes) return `the request needs more than ${treeNodes} permissions`;
  const long = leaves.some(
    (leaf) => "resource" in leaf && Buffer.byteLength(shownSet(leaf.resource)) > arnBytes,
  );
  return long ? `a resource of the request is longer than ${arnBytes} bytes` : undefined;
}

function leavesOf(tree: RequiredOnSets): readonly RequiredOnSets[] {
  if ("and" in tree) return tree.and.flatMap(leavesOf);
  return "or" in tree ? tree.or.flatMap(leavesOf) : [tree];
}

/** The tree without empty nodes that would allow (spec/security §2.4). */
function closed(tree: RequiredOnSets): RequiredOnSets {
  if ("and" in tree) return tree.and.length === 0 ? NEVER : { and: tree.and.map(closed) };
  return "or" in tree ? { or: tree.or.map(closed) } : tree;
}

function shownTree(tree: RequiredOnSets): RequiredPermissions {
  if ("action" in tree) return { action: tree.action, resource: shownSet(tree.resource) };
  if ("and" in tree) return { and: tree.and.map(shownTree) };
  return "or" in tree ? { or: tree.or.map(shownTree) } : tree;
}
