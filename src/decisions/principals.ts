/** Users with compiled policies: from the cache, else loaded from the directory and compiled. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import type { Directory } from "../directory/directory.ts";
import type { Principal } from "../directory/principal.ts";
import type { Scheduler, WorkBudget } from "../schedule/scheduler.ts";
import { CachedPrincipal } from "./cached-principal.ts";
import type { CompiledSets } from "./compiled-sets.ts";
import type { DecisionCounters } from "./decisions.ts";
import { IndexBuilds } from "./index-builds.ts";
import type { MirrorRule } from "./mirror-rule.ts";
import { PrincipalCache } from "./principal-cache.ts";

/** Options of {@link Principals}. */
interface PrincipalsOptions {
  readonly directory: Directory;
  readonly cache: CacheSettings;
  readonly scheduler: Scheduler;
  readonly counters: DecisionCounters;
  readonly sets: CompiledSets;
  /**
   * Largest number of policies of a user (`authorizer.limits.policies_per_user`). A user with more is denied
   * everything.
   */
  readonly policiesPerUser: number;
  /** Told of a user with more, at each load. */
  readonly onTooMany: (found: { readonly policies: number }) => void;
  /** Makes mirrors read-only; absent: there are none. */
  readonly rule?: MirrorRule | undefined;
  /** True: names for which there is no user are remembered, as many as users. Default false. */
  readonly remembersAbsent?: boolean;
}

/** Finds users with their compiled policies. */
export class Principals {
  readonly #cache: PrincipalCache;
  readonly #builds: IndexBuilds;
  readonly #options: PrincipalsOptions;
  readonly #unsubscribe: () => void;

  constructor(options: PrincipalsOptions) {
    const { directory, cache, scheduler, counters, remembersAbsent = false } = options;
    this.#builds = new IndexBuilds(scheduler);
    this.#options = options;
    this.#cache = new PrincipalCache({
      settings: cache,
      counters,
      remembersAbsent,
      isToldEverything: () => directory.tellsEveryChange(),
      load: async (username) => {
        const principal = await directory.principal(username);
        return principal && this.compiled(principal);
      },
    });
    this.#unsubscribe = directory.onChange((change) => {
      options.rule?.tell(change);
      this.#cache.evict(change);
    });
  }

  /** Cached users. */
  get cacheSize(): number {
    return this.#cache.size;
  }

  /**
   * The user, prepared for a decision about the permissions. Synchronous if cached and indexed, else a promise;
   * undefined for an unknown name.
   * @param budget the budget of building indexes
   */
  find(
    username: string,
    required: RequiredPermissions,
    budget?: WorkBudget,
  ): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const found = this.#cache.peek(username);
    if (found === undefined) return this.#load(username, required, budget);
    const ready = this.ready(found.policies, required, budget);
    return ready === undefined ? found : ready.then(() => found);
  }

  /** The cached user, if any. Counts nothing. */
  cached(username: string): CachedPrincipal | undefined {
    return this.#cache.cached(username);
  }

  /** The user without preparation for a decision; synchronous if cached. */
  get(username: string): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    return this.#cache.peek(username) ?? this.#read(username);
  }

  /** See {@link PrincipalCache.isKnownAbsent}. */
  isKnownAbsent(username: string): boolean {
    return this.#cache.isKnownAbsent(username);
  }

  /** Counts changes: what was read in one generation belongs together. */
  get generation(): number {
    return this.#cache.generation;
  }

  /**
   * Reads a user from the directory and compiles the policies, without the cache; for work on many users.
   * @param relevant the policies to compile, if others cannot change the result
   */
  async compiled(
    principal: Principal,
    relevant?: (policy: StoredPolicy) => boolean,
  ): Promise<CachedPrincipal> {
    return this.#compiled(principal, await this.#options.rule?.of(principal.username), relevant);
  }

  /** The user without the rule about mirrors, for who manages mirrors. */
  async withoutRule(user: CachedPrincipal): Promise<CachedPrincipal> {
    return user.rule === undefined ? user : this.#compiled(user.principal, undefined);
  }

  async #compiled(
    principal: Principal,
    rule: HeldPolicies | undefined,
    relevant?: (policy: StoredPolicy) => boolean,
  ): Promise<CachedPrincipal> {
    const { sets, policiesPerUser, onTooMany } = this.#options;
    const { held } = principal;
    if (held.reduce((sum, { policies }) => sum + policies.length, 0) > policiesPerUser) {
      const count = principal.policies.length;
      if (count > policiesPerUser) {
        onTooMany({ policies: count });
        return new CachedPrincipal(principal, sets.denyAll);
      }
    }
    const asked =
      relevant === undefined
        ? held
        : held.map((one) => ({ ...one, policies: one.policies.filter(relevant) }));
    const all = rule === undefined ? asked : [...asked, rule];
    return new CachedPrincipal(principal, await sets.get(all), undefined, rule);
  }

  async #load(
    username: string,
    required: RequiredPermissions,
    budget: WorkBudget | undefined,
  ): Promise<CachedPrincipal | undefined> {
    const found = await this.#read(username);
    if (found !== undefined) await this.ready(found.policies, required, budget);
    return found;
  }

  /** A text that can be no name is no user, and takes no place in memory. */
  async #read(username: string): Promise<CachedPrincipal | undefined> {
    return isPossibleName(username) ? this.#cache.load(username) : undefined;
  }

  /**
   * A promise to await before a decision about these permissions; undefined if no long work is needed. The decision
   * must be made in the turn of the event loop in which the promise resolves.
   * @param budget the budget of building indexes
   */
  ready(
    policies: CompiledPolicies,
    required: RequiredPermissions,
    budget?: WorkBudget,
  ): Promise<void> | undefined {
    return this.#builds.ready(policies, required, budget);
  }

  /** Stops listening to changes. */
  close(): void {
    this.#unsubscribe();
  }
}

/** True if the user is active and has the internal id; also if the id is unknown. */
export function isUser(found: CachedPrincipal, userId: string | undefined): boolean {
  if (found.isInactive) return false;
  return userId === undefined || found.userId === userId;
}
