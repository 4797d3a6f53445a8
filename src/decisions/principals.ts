/** Users ready for decisions: from the cache, else from the directory through the compiler. */

import type { CacheSettings } from "../cache/cache-settings.ts";
import type { Directory, Principal } from "../directory/directory.ts";
import type { CompiledPolicies } from "../engine/compile.ts";
import { actionsOf, isPrepared } from "../engine/decide.ts";
import type { RequiredPermissions } from "../model/decision.ts";
import type { EffectivePolicy } from "../model/policy.ts";
import type { Slicer } from "../schedule/slicer.ts";
import type { CompiledSets } from "./compiled-sets.ts";
import type { DecisionCounters } from "./decisions.ts";
import { type CachedPrincipal, PrincipalCache } from "./principal-cache.ts";

/** From this many statements on an action is indexed in slices instead of inside the first decision about it. */
const LARGE_SET = 1000;

/** What {@link Principals} needs. */
export interface PrincipalsOptions {
  readonly directory: Directory;
  readonly cache: CacheSettings;
  readonly slicer: Slicer;
  readonly counters: DecisionCounters;
  readonly sets: CompiledSets;
  /** Most policies of one user (`authorizer.limits.policies_per_user`); with more, everything is denied. */
  readonly policiesPerUser: number;
  /** Told of a user with more, at each load. */
  readonly onTooMany: (found: { readonly policies: number }) => void;
}

/** Finds users with their compiled policies. */
export class Principals {
  readonly #cache: PrincipalCache;
  readonly #slicer: Slicer;
  readonly #options: PrincipalsOptions;
  readonly #unsubscribe: () => void;

  constructor(options: PrincipalsOptions) {
    const { directory, cache, slicer, counters } = options;
    this.#slicer = slicer;
    this.#options = options;
    this.#cache = new PrincipalCache(cache, counters, async (username) => {
      const principal = await directory.principal(username);
      return principal && this.compiled(principal);
    });
    this.#unsubscribe = directory.onChange((change) => this.#cache.evict(change));
  }

  /** Cached users. */
  get cacheSize(): number {
    return this.#cache.size;
  }

  /**
   * The user, prepared for a decision about the permissions: at once when cached and indexed, else as a promise of
   * the user or, for an unknown name, of undefined.
   */
  find(
    username: string,
    required: RequiredPermissions,
  ): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const found = this.#cache.peek(username);
    if (found === undefined) return this.#load(username, required);
    return isQuick(found.policies, required) ? found : this.#prepared(found, required);
  }

  /** The user, where it is cached; counts nothing. */
  atHand(username: string): CachedPrincipal | undefined {
    return this.#cache.cached(username);
  }

  /** The user without preparation for any decision: at once when cached. */
  get(username: string): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    return this.#cache.peek(username) ?? this.#cache.load(username);
  }

  /**
   * A user read from the directory with compiled policies, past the cache: for work on many users.
   * @param relevant the policies to compile, where others cannot change what is asked
   */
  async compiled(
    principal: Principal,
    relevant: (policy: EffectivePolicy) => boolean = () => true,
  ): Promise<CachedPrincipal> {
    const { sets, policiesPerUser, onTooMany } = this.#options;
    const count = principal.policies.length;
    if (count <= policiesPerUser)
      return { principal, policies: await sets.get(principal.policies.filter(relevant)) };
    onTooMany({ policies: count });
    return { principal, policies: sets.denyAll };
  }

  async #load(username: string, required: RequiredPermissions): Promise<CachedPrincipal | undefined> {
    const found = await this.#cache.load(username);
    return found === undefined ? undefined : this.#prepared(found, required);
  }

  async #prepared(found: CachedPrincipal, required: RequiredPermissions): Promise<CachedPrincipal> {
    await this.prepare(found.policies, required);
    return found;
  }

  /** Builds the indexes of a large set in slices. */
  async prepare(policies: CompiledPolicies, required: RequiredPermissions): Promise<void> {
    if (isQuick(policies, required)) return;
    for (const action of actionsOf(required)) {
      if (!policies.isIndexed(action)) await this.#slicer.run(policies.indexInSteps(action));
    }
  }

  /** Stops listening to changes. */
  close(): void {
    this.#unsubscribe();
  }
}

/** True for the user of an internal id; of an unknown id, for any. */
export function isUser(found: CachedPrincipal, userId: string | undefined): boolean {
  return userId === undefined || found.principal.id === userId;
}

/** True when a decision about these permissions needs no long work first. */
export function isQuick(policies: CompiledPolicies, required: RequiredPermissions): boolean {
  if (policies.statements.length < LARGE_SET) return true;
  return "action" in required ? policies.isIndexed(required.action) : isPrepared(policies, required);
}
