/** Builds the decision use cases over a directory. */

import type { Catalog } from "../catalog/catalog.ts";
import type { Directory } from "../directory/directory.ts";
import type { DecisionContext } from "../model/decision.ts";
import { Authzen, type RequestProperties, viaOf } from "./authzen.ts";
import { CompiledSets } from "./compiled-sets.ts";
import { addProperties } from "./condition-fields.ts";
import { createCounters } from "./counters.ts";
import { Deciding } from "./deciding.ts";
import { decisionIds } from "./decision-ids.ts";
import type {
  CheckAnswer,
  CheckRequest,
  DecisionAudit,
  DecisionCounters,
  Decisions,
  FilterRequest,
} from "./decisions.ts";
import { EffectivePolicies, type EffectivePoliciesForm, type RewrittenPolicy } from "./effective-policies.ts";
import { filterResources } from "./filtering.ts";
import type { CachedPrincipal, CacheSettings } from "./principal-cache.ts";
import { Principals } from "./principals.ts";
import { ResourceTypes } from "./resource-types.ts";
import { Simulating } from "./simulating.ts";
import { Slicer } from "./slicer.ts";

/** What the decision use cases are built from. */
export interface DecisionsOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  readonly cache: CacheSettings;
  readonly audit: DecisionAudit;
  readonly requestProperties: RequestProperties;
  /** Form of effective policies that data servers get; default portable. */
  readonly effectivePolicies?: EffectivePoliciesForm;
  /** Told once of each version of a policy that data servers get in another form than stored. */
  readonly onRewritten?: (policy: RewrittenPolicy) => void;
  readonly now?: () => Date;
  /** Most policies of one user (`authorizer.limits.policies_per_user`), default unlimited; with more, all is denied. */
  readonly policiesPerUser?: number;
  /** Told of a user with more, at each load. */
  readonly onTooMany?: (found: { readonly policies: number }) => void;
}

/** Opens the decision use cases. Reads the resource types; throws "unavailable" when the store does not work. */
export async function openDecisions(options: DecisionsOptions): Promise<Decisions> {
  const { directory, catalog, audit, requestProperties, now = () => new Date() } = options;
  const slicer = new Slicer();
  const sets = new CompiledSets(catalog.partition, slicer);
  const counters: DecisionCounters = createCounters({
    cacheSize: () => principals.cacheSize,
    compiledSets: () => sets.size,
  });
  const principals = new Principals({
    directory,
    cache: options.cache,
    slicer,
    counters,
    sets,
    policiesPerUser: options.policiesPerUser ?? Number.POSITIVE_INFINITY,
    onTooMany: options.onTooMany ?? (() => {}),
  });
  const types = new ResourceTypes(catalog, directory);
  await types.refreshed();
  const unsubscribe = directory.onChange(({ resources, all }) => {
    if (resources || all) types.invalidate();
  });
  const nextId = decisionIds();
  const deciding = new Deciding({ counters, audit, policiesVersion: catalog.digest, nextId, now });
  const authzen = new Authzen({ directory, principals, types, deciding, requestProperties, nextId });
  const effective = new EffectivePolicies(
    options.effectivePolicies ?? "portable",
    counters,
    options.onRewritten ?? (() => {}),
  );
  const simulating = new Simulating({ directory, partition: catalog.partition, slicer, deciding });
  return {
    check: (request) => check(principals, deciding, request, requestProperties),
    evaluate: (request) => authzen.evaluate(request),
    filter: (request) => filter(principals, slicer, counters, request, requestProperties),
    typesRefreshed: () => types.refreshed(),
    resourceArn: (type, id) => types.arn(type, id),
    actionName: (type, name) => types.action(type, name),
    simulate: (simulation) => simulating.simulate(simulation),
    effectivePolicies: (username) => {
      const found = principals.get(username);
      if (found instanceof Promise) return found.then((user) => user && effective.of(user.principal));
      return effective.of(found.principal);
    },
    policiesVersion: catalog.digest,
    counters,
    close: () => {
      unsubscribe();
      principals.close();
    },
  };
}

function check(
  principals: Principals,
  deciding: Deciding,
  request: CheckRequest,
  requestProperties: RequestProperties,
): CheckAnswer | Promise<CheckAnswer> {
  const decided = (user: CachedPrincipal | undefined, cache: "hit" | "miss"): CheckAnswer => {
    if (user === undefined) return deciding.unknownUser(request, request);
    const context = withRegistered(request.context, user, requestProperties);
    const via = (policy: string): ReturnType<typeof viaOf> => viaOf(user, policy);
    const asked = context === request.context ? request : { ...request, context };
    return deciding.check({ policies: user.policies, via, cache }, asked, request);
  };
  const found = principals.find(request.user, request.required);
  return found instanceof Promise ? found.then((user) => decided(user, "miss")) : decided(found, "hit");
}

async function filter(
  principals: Principals,
  slicer: Slicer,
  counters: DecisionCounters,
  request: FilterRequest,
  requestProperties: RequestProperties,
): Promise<readonly number[]> {
  const user = await principals.find(request.user, { action: request.action, resource: "*" });
  if (user === undefined) {
    counters.decisions.filter.neutral += request.resources.length;
    return [];
  }
  const context = withRegistered(request.context, user, requestProperties);
  return slicer.run(filterResources(user.policies, { ...request, context }, counters));
}

/** Registered properties of the user beside the fields of the request; registered ones win unless told otherwise. */
function withRegistered(
  context: DecisionContext,
  user: CachedPrincipal,
  requestProperties: RequestProperties,
): DecisionContext {
  if (!user.policies.readsContext || Object.keys(user.principal.properties).length === 0) return context;
  const registered = new Map<string, string | readonly string[]>();
  addProperties(registered, "subject.", user.principal.properties);
  return requestProperties === "fill"
    ? new Map([...context, ...registered])
    : new Map([...registered, ...context]);
}
