/** Builds the decision use cases over a directory. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { Steps } from "@svc-authorizer/policy/engine/work.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Outcome } from "@svc-authorizer/policy/model/decision.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { AskedQuestion } from "@svc-authorizer/policy/model/question-judge.ts";
import type { RequestProperties } from "@svc-authorizer/policy/model/registered-properties.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import type { Directory } from "../directory/directory.ts";
import type { Endpoints } from "../request-map/endpoints.ts";
import { Pace } from "../schedule/pace.ts";
import {
  scheduler as processScheduler,
  type Scheduler,
  type Waiter,
  WorkBudget,
} from "../schedule/scheduler.ts";
import { type CachedPrincipal, policiesOf } from "./cached-principal.ts";
import { Authzen } from "./check/authzen.ts";
import { Deciding } from "./check/deciding.ts";
import { DecisionRecorder } from "./check/decision-recorder.ts";
import { filterByAttributes, filterResources, namedAt } from "./check/filtering.ts";
import { NativeFields, type TreeFields } from "./check/native-fields.ts";
import { Requesting, type RequestLimits } from "./check/requesting.ts";
import { Simulating } from "./check/simulating.ts";
import { CompiledSets } from "./compiled-sets.ts";
import { createCounters } from "./counters.ts";
import { decisionIds } from "./decision-ids.ts";
import type { AskedResource, DecisionLog } from "./decision-log.ts";
import type {
  CheckAnswer,
  CheckRequest,
  DecisionAudit,
  DecisionCounters,
  Decisions,
  FilterRequest,
} from "./decisions.ts";
import { EffectivePolicies, type EffectivePoliciesForm, type RewrittenPolicy } from "./effective-policies.ts";
import { MirrorRule, type ReadOnlyMirror } from "./mirror-rule.ts";
import { nextAttempt } from "./one-state.ts";
import { isUser, Principals } from "./principals.ts";
import { ReadAhead } from "./read-ahead.ts";
import { RegisteredResources } from "./registered-resources.ts";
import { ResourceTypes } from "./resource-types.ts";
import { openSearches } from "./search/open-searches.ts";
import { GroupSets } from "./subjects/group-sets.ts";
import type { SubjectTokens } from "./subjects/subject-tokens.ts";
import { type AskedSubject, Subjects, type UnknownSubjects } from "./subjects/subjects.ts";
import { UNKNOWN_TEXTS } from "./subjects/unknown-reason.ts";
import type { DecisionUsage } from "./usage.ts";

/** The parts of the decision use cases. */
export interface DecisionsOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** The permission tables, in the partition of the catalog. */
  readonly endpoints: Endpoints;
  readonly cache: CacheSettings;
  readonly audit: DecisionAudit;
  /** Absent if no decisions are logged. */
  readonly log?: DecisionLog | undefined;
  /** Absent if use is not counted. */
  readonly usage?: DecisionUsage | undefined;
  /** A new decision id; default a source of its own. */
  readonly nextId?: () => string;
  readonly requestProperties: RequestProperties;
  /** `authorizer.subjects.unknown`; default deny. */
  readonly unknownSubjects?: UnknownSubjects;
  /** `authorizer.subjects.types`; default user alone. */
  readonly subjectTypes?: readonly string[];
  /** Verifies tokens of subjects; absent if no issuer is configured. */
  readonly subjectTokens?: SubjectTokens | undefined;
  /** Form of the effective policies for data servers; default portable. */
  readonly effectivePolicies?: EffectivePoliciesForm;
  /** Called once for each version of a policy that data servers get in another form than stored. */
  readonly onRewritten?: (policy: RewrittenPolicy) => void;
  readonly now?: () => Date;
  /**
   * Largest number of policies of a user (`authorizer.limits.policies_per_user`), default unlimited. A user with more
   * is denied everything.
   */
  readonly policiesPerUser?: number;
  /** Told of a user with more, at each load. */
  readonly onTooMany?: (found: { readonly policies: number }) => void;
  /** Reads the repositories that are mirrors, which are read-only; absent: there are none. */
  readonly mirrors?: (() => Promise<readonly ReadOnlyMirror[]>) | undefined;
  /** Limits of a request of a data server. */
  readonly requestLimits?: RequestLimits;
  /** Runs what is long; default the one of the process. */
  readonly scheduler?: Scheduler;
}

/** The defaults of `authorizer.limits`. */
const REQUEST_LIMITS: RequestLimits = { treeNodes: 1000, arnBytes: 4096, work: 2_000_000_000 };

/** Opens the decision use cases. Reads the resource types; throws "unavailable" when the store does not work. */
export async function openDecisions(options: DecisionsOptions): Promise<Decisions> {
  const { directory, catalog, audit, requestProperties, now = () => new Date() } = options;
  const { scheduler = processScheduler, policiesPerUser = Number.POSITIVE_INFINITY } = options;
  const sets = new CompiledSets(catalog.partition, scheduler);
  const counters: DecisionCounters = createCounters({
    cacheSize: () => principals.cacheSize + groups.size,
    compiledSets: () => sets.size,
  });
  const rule = openRule(options);
  const principals = openPrincipals(options, sets, counters, rule);
  const groups = new GroupSets({ directory, principals, cache: options.cache, counters });
  const subjects = openSubjects(options, principals, groups);
  const { types, unsubscribe } = await openTypes(options);
  const { log, usage, nextId = decisionIds() } = options;
  const { endpoints, requestLimits: limits = REQUEST_LIMITS } = options;
  const workBudget = (waiter?: Waiter): WorkBudget =>
    new WorkBudget(limits.work, () => tooMuchWork(limits.work), waiter?.signal);
  const doubts = (question: AskedQuestion) => types.doubts(question);
  const recorder = new DecisionRecorder({ counters, audit, log, usage, nextId });
  const { digest: policiesVersion, partition } = catalog;
  const deciding = new Deciding({ recorder, policiesVersion, now, doubts, scheduler, workBudget });
  const effective = openEffective(options, counters);
  const served = ({ principal, rule: added }: CachedPrincipal): readonly Policy[] => {
    usage?.served({ username: principal.username, userId: principal.id });
    return effective.of(principal, added);
  };
  const registered = new RegisteredResources(directory, types);
  const native = new NativeFields(registered, requestProperties);
  const fields = { types, registered, native, requestProperties };
  const parts = { directory, partition, principals, subjects, scheduler };
  const shared = { ...fields, ...parts, workBudget, counters, deciding, recorder, rule };
  const authzen = new Authzen(shared);
  const simulating = new Simulating({ ...shared, sets, policiesPerUser });
  const requesting = new Requesting({ ...shared, endpoints, limits });
  const searches = openSearches({ ...shared, ttl: options.cache.ttl });
  const ahead = new ReadAhead({ directory, sets, scheduler, cache: options.cache });
  return {
    check: (request) => check(shared, request),
    evaluate: (request) => authzen.evaluate(request),
    cachedOutcomes: (subject, actionName, budget, batch) =>
      authzen.cachedOutcomes(subject, actionName, budget, batch),
    decisionId: nextId,
    filter: (request) => filter(shared, request),
    typesRefreshed: () => types.refreshed(),
    doubts: async (question) => types.refreshed()?.then(() => doubts(question)) ?? doubts(question),
    resourceArn: (type, id) => types.arn(type, id),
    actionName: (type, name) => types.action(type, name),
    request: (asked) => requesting.request(asked),
    simulate: (simulation) => simulating.simulate(simulation),
    workBudget,
    effectivePolicies: (username) => {
      const found = principals.get(username);
      if (found instanceof Promise) return found.then((user) => user && served(user));
      return served(found);
    },
    log,
    searches,
    policiesVersion,
    counters,
    readAhead: () => ahead.read(),
    close: async () => {
      await ahead.close();
      unsubscribe();
      for (const part of [searches, groups, principals]) part.close();
    },
  };
}

/** The resource types, which are read anew after changes until the listener is unsubscribed. */
async function openTypes({ catalog, directory }: DecisionsOptions) {
  const types = new ResourceTypes(catalog, directory);
  await types.refreshed();
  const unsubscribe = directory.onChange(({ resources, all }) => {
    if (resources || all) types.invalidate();
  });
  return { types, unsubscribe };
}

function openEffective(
  { effectivePolicies: form = "portable", onRewritten = () => {} }: DecisionsOptions,
  counters: DecisionCounters,
): EffectivePolicies {
  return new EffectivePolicies(form, counters, onRewritten);
}

function openRule({ mirrors, catalog }: DecisionsOptions): MirrorRule | undefined {
  const { partition, actions } = catalog;
  return mirrors && new MirrorRule({ partition, actions: actions.keys(), mirrors });
}

function openSubjects(
  { unknownSubjects = "deny", subjectTypes = ["user"], subjectTokens: tokens }: DecisionsOptions,
  principals: Principals,
  groups: GroupSets,
): Subjects {
  return new Subjects({ principals, groups, unknown: unknownSubjects, types: subjectTypes, tokens });
}

function openPrincipals(
  {
    directory,
    cache,
    policiesPerUser,
    onTooMany,
    unknownSubjects,
    scheduler = processScheduler,
  }: DecisionsOptions,
  sets: CompiledSets,
  counters: DecisionCounters,
  rule: MirrorRule | undefined,
): Principals {
  return new Principals({
    directory,
    cache,
    scheduler,
    counters,
    sets,
    rule,
    policiesPerUser: policiesPerUser ?? Number.POSITIVE_INFINITY,
    onTooMany: onTooMany ?? (() => {}),
    remembersAbsent: unknownSubjects === "from_request",
  });
}

function tooMuchWork(units: number): Error {
  const message = `the request needs more work than authorizer.limits.work allows (${units} units); ask about less`;
  return new AuthorizerError("invalid_request", message);
}

const UNKNOWN_USER: Outcome = { effect: "neutral", message: "insufficient permissions: unknown user" };

/** The parts that answer checks and filters. */
interface Answering {
  readonly principals: Principals;
  readonly subjects: Subjects;
  readonly native: NativeFields;
  readonly deciding: Deciding;
  readonly recorder: DecisionRecorder;
  readonly scheduler: Scheduler;
  readonly workBudget: (waiter?: Waiter) => WorkBudget;
  readonly counters: DecisionCounters;
}

function check(parts: Answering, request: CheckRequest, attempt = 0): CheckAnswer | Promise<CheckAnswer> {
  const { principals, subjects, native, deciding, workBudget } = parts;
  const { generation } = principals;
  const asked = askedBy(request);
  const decided = (user: CachedPrincipal | undefined, cache: "hit" | "miss") => {
    if (user === undefined) return deciding.unknownUser(request, request, subjects.whyUnknown(asked));
    if (!isUser(user, request.userId)) return deciding.unknownUser(request, request);
    const loaded = policiesOf(user, cache);
    if (!user.policies.readsContext) return deciding.check(loaded, request, request);
    const fields = native.of(request.context, user, request.required, request.resource);
    const answer = (found: TreeFields) => deciding.check(loaded, { ...request, ...found }, request);
    if (!(fields instanceof Promise)) return answer(fields);
    return fields.then((found) =>
      principals.generation === generation ? answer(found) : check(parts, request, nextAttempt(attempt)),
    );
  };
  const budget = "action" in request.required ? undefined : workBudget(request.call);
  const found = subjects.find(asked, request.required, budget);
  if (request.managesMirrors === true) {
    return Promise.resolve(found).then(async (user) => {
      const bare = user && (await principals.withoutRule(user));
      if (bare !== undefined) await principals.ready(bare.policies, request.required, budget);
      return decided(bare, "miss");
    });
  }
  return found instanceof Promise ? found.then((user) => decided(user, "miss")) : decided(found, "hit");
}

/** The subject of a native request. */
function askedBy({ user, groups, token, call }: CheckRequest): AskedSubject {
  return { user, groups, token, asserter: call?.caller };
}

async function filter(parts: Answering, request: FilterRequest): Promise<readonly number[]> {
  const budget = parts.workBudget(request.waiter);
  const allowed: number[] = [];
  let attempt = 0;
  for (let from = 0; ; ) {
    const rest = from === 0 ? request : behind(request, from);
    const { allowed: more, done } = await filterInOneState(parts, rest, budget);
    for (const index of more) allowed.push(from + index);
    from += done;
    if (from >= request.resources.length) return allowed;
    attempt = done === 0 ? nextAttempt(attempt) : 0;
  }
}

/** The question about the resources from one on. */
function behind(request: FilterRequest, from: number): FilterRequest {
  const { resources, named } = request;
  const rest = named && { named: { ...named, ids: named.ids.slice(from) } };
  return { ...request, resources: resources.slice(from), ...rest };
}

/** Decides about resources as far as the directory stays the same. */
async function filterInOneState(
  { principals, subjects, native, recorder, scheduler, counters }: Answering,
  request: FilterRequest,
  budget: WorkBudget,
): Promise<{ readonly allowed: readonly number[]; readonly done: number }> {
  const done = request.resources.length;
  const { generation } = principals;
  const user = await subjects.find(request, { action: request.action, resource: "*" });
  const { batch, action, userId } = request;
  if (userId !== undefined && (user === undefined || !isUser(user, userId))) {
    throw new AuthorizerError("unauthenticated", "the user is not there any more");
  }
  if (user === undefined || user.isInactive) {
    counters.decisions.filter.neutral += request.resources.length;
    batch?.about({ ...request, loaded: undefined });
    const why = UNKNOWN_TEXTS[subjects.whyUnknown(request)];
    for (const [index, resource] of (batch === undefined ? [] : request.resources).entries()) {
      batch?.add(UNKNOWN_USER, resource, namedAt(request, index), undefined, why);
    }
    return { allowed: [], done };
  }
  const { policies } = user;
  const context = native.ofUser(request.context, user);
  const loaded = policiesOf(user);
  const question = { ...request, context, loaded, use: recorder.useOf(loaded) };
  batch?.about({ user: request.user, action, loaded, context });
  if (!policies.readsResource) {
    return { allowed: await scheduler.run(filterResources(policies, question, counters), { budget }), done };
  }
  const fieldsOf = (arn: string, named?: AskedResource) => native.ofResource(context, arn, named);
  const { pause } = new Pace(request.waiter?.signal);
  const run = <T>(steps: Steps<T>): Promise<T> => scheduler.run(steps, { budget });
  const isCurrent = () => principals.generation === generation;
  return filterByAttributes(policies, question, counters, fieldsOf, { pause, run, isCurrent });
}
