/** Builds the decision use cases over a directory. */

import type { Catalog } from "../catalog/catalog.ts";
import type { Directory } from "../directory/directory.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import { Authzen, viaOf } from "./authzen.ts";
import { CompiledSets } from "./compiled-sets.ts";
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
import type { RequestProperties } from "./evaluation-fields.ts";
import { filterResources } from "./filtering.ts";
import { openSearches } from "./open-searches.ts";
import type { CachedPrincipal, CacheSettings } from "./principal-cache.ts";
import { Principals } from "./principals.ts";
import { withRegistered } from "./registered-properties.ts";
import { Requesting, type RequestLimits } from "./requesting.ts";
import { ResourceTypes } from "./resource-types.ts";
import { Simulating } from "./simulating.ts";
import { Slicer } from "./slicer.ts";

/** What the decision use cases are built from. */
export interface DecisionsOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** The permission tables, in the partition of the catalog. */
  readonly endpoints: Endpoints;
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
  /** How much a request of a data server may need. */
  readonly requestLimits?: RequestLimits;
}

/** The defaults of `authorizer.limits`. */
const REQUEST_LIMITS: RequestLimits = { treeNodes: 1000, arnBytes: 4096 };

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
  const deciding = new Deciding({ counters, audit, policiesVersion: catalog.digest, nextId, now, slicer });
  const effective = new EffectivePolicies(
    options.effectivePolicies ?? "portable",
    counters,
    options.onRewritten ?? (() => {}),
  );
  const { partition } = catalog;
  const shared = { directory, partition, principals, types, slicer, counters, deciding, requestProperties };
  const authzen = new Authzen({ ...shared, nextId });
  const simulating = new Simulating(shared);
  const { endpoints, requestLimits: limits = REQUEST_LIMITS } = options;
  const requesting = new Requesting({ ...shared, endpoints, limits });
  const searches = openSearches({ ...shared, ttl: options.cache.ttl });
  return {
    check: (request) => check(principals, deciding, request, requestProperties),
    evaluate: (request) => authzen.evaluate(request),
    allowsAtHand: (username, actionName) => authzen.allowsAtHand(username, actionName),
    filter: (request) => filter(principals, slicer, counters, request, requestProperties),
    typesRefreshed: () => types.refreshed(),
    resourceArn: (type, id) => types.arn(type, id),
    actionName: (type, name) => types.action(type, name),
    request: (asked) => requesting.request(asked),
    simulate: (simulation) => simulating.simulate(simulation),
    effectivePolicies: (username) => {
      const found = principals.get(username);
      if (found instanceof Promise) return found.then((user) => user && effective.of(user.principal));
      return effective.of(found.principal);
    },
    searches,
    policiesVersion: catalog.digest,
    counters,
    close: () => {
      unsubscribe();
      searches.close();
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
  const decided = (user: CachedPrincipal | undefined, cache: "hit" | "miss") => {
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
