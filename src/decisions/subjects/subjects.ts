/**
 * The subjects of decisions: users of the directory, and where `authorizer.subjects.unknown` says so, subjects that it
 * does not know, with the policies of the groups that their request asserts (decision-api.md §8). A user of the
 * directory has what the directory says, whatever a request asserts.
 */

import type { Principal } from "../../directory/directory.ts";
import { AuthorizerError } from "../../errors.ts";
import type { Assertion, RequiredPermissions } from "../../model/decision.ts";
import type { Properties } from "../../model/entities.ts";
import { isPossibleName } from "../../model/names.ts";
import type { EffectivePolicy } from "../../model/policy.ts";
import type { WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../principal-cache.ts";
import type { Principals } from "../principals.ts";
import { type Asserter, groupsOf } from "./asserted-groups.ts";
import type { CachedGroups, GroupSets } from "./group-sets.ts";

/** The fate of a subject that the directory does not know (`authorizer.subjects.unknown`). */
export type UnknownSubjects = "deny" | "from_request";

/** A subject as a request names it. */
export interface AskedSubject {
  readonly user: string;
  /** The groups that the request asserts, as given. */
  readonly groups?: unknown;
  /** The caller who asserts them. */
  readonly asserter?: Asserter | undefined;
  /** False: a user of the directory who has this name is somebody else. Default true. */
  readonly mayBeUser?: boolean;
}

/** Options of {@link Subjects}. */
export interface SubjectsOptions {
  readonly principals: Principals;
  readonly groups: GroupSets;
  readonly unknown: UnknownSubjects;
}

/** Times that a subject is looked up anew because the directory changed meanwhile. */
const MOST_ATTEMPTS = 10;
const NONE: readonly string[] = [];

/** Finds the subjects of decisions with their compiled policies. */
export class Subjects {
  readonly #principals: Principals;
  readonly #groups: GroupSets;
  readonly #fromRequest: boolean;

  constructor({ principals, groups, unknown }: SubjectsOptions) {
    this.#principals = principals;
    this.#groups = groups;
    this.#fromRequest = unknown === "from_request";
  }

  /** As {@link Principals.find}, for any subject. */
  find(
    asked: AskedSubject,
    required: RequiredPermissions,
    budget?: WorkBudget,
  ): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const names = this.#asserted(asked);
    if (names.length === 0) return notUser(asked, this.#principals.find(asked.user, required, budget));
    const found = this.#known(asked, names) ?? this.#load(asked, names);
    if (found instanceof Promise) {
      return found.then(async (any) => {
        const subject = any?.asserted === undefined ? await notUser(asked, Promise.resolve(any)) : any;
        if (subject !== undefined) await this.#principals.ready(subject.policies, required, budget);
        return subject;
      });
    }
    const ready = this.#principals.ready(found.policies, required, budget);
    return ready === undefined ? found : ready.then(() => found);
  }

  /** As {@link Principals.get}, for any subject. */
  get(asked: AskedSubject): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const names = this.#asserted(asked);
    if (names.length === 0) return this.#principals.get(asked.user);
    return this.#known(asked, names) ?? this.#load(asked, names);
  }

  /** The names of groups that count unless the subject is a user; of a user in the cache none do. */
  #asserted({ user, groups, asserter }: AskedSubject): readonly string[] {
    if (!this.#fromRequest || groups === undefined) return NONE;
    if (this.#principals.cached(user) !== undefined || !isPossibleName(user)) return NONE;
    return groupsOf(groups, asserter);
  }

  /** Both caches hold what is in force now, so that what they say belongs together. */
  #known(asked: AskedSubject, names: readonly string[]): CachedPrincipal | undefined {
    if (!this.#principals.isKnownAbsent(asked.user)) return undefined;
    const groups = this.#groups.cached(names);
    return groups && subjectOf(asked, groups);
  }

  /** Reads user and groups; anew where the directory changed in between, so that they are of one state. */
  async #load(asked: AskedSubject, names: readonly string[]): Promise<CachedPrincipal | undefined> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { generation } = this.#principals;
      const user = await this.#principals.get(asked.user);
      if (user !== undefined) return user;
      const groups = await this.#groups.load(names);
      if (generation === this.#principals.generation) return subjectOf(asked, groups);
    }
    throw new AuthorizerError(
      "unavailable",
      "the directory changes too often to read this subject; try again",
    );
  }
}

/** The user, unless the name may not stand for a user. */
function notUser(
  { mayBeUser = true }: AskedSubject,
  found: CachedPrincipal | Promise<CachedPrincipal | undefined>,
): CachedPrincipal | Promise<CachedPrincipal | undefined> {
  return mayBeUser ? found : Promise.resolve(undefined);
}

/** The subject with the policies of the groups; undefined if none of the groups exists. */
function subjectOf(
  { user, asserter }: AskedSubject,
  { principal, policies }: CachedGroups,
): CachedPrincipal | undefined {
  if (principal.names.length === 0) return undefined;
  const asserted: Assertion = { by: asserter?.name ?? "", groups: principal.names };
  return { principal: new UnknownSubject(user, principal), policies, asserted };
}

const NO_PROPERTIES: Properties = {};

/** A subject that is no user. */
class UnknownSubject implements Principal {
  readonly id = "";
  readonly username: string;
  readonly properties = NO_PROPERTIES;
  readonly isInactive = false;
  readonly #groups: Principal;

  constructor(username: string, groups: Principal) {
    this.username = username;
    this.#groups = groups;
  }

  get groups(): readonly string[] {
    return this.#groups.groups;
  }

  get held(): Principal["held"] {
    return this.#groups.held;
  }

  get policies(): readonly EffectivePolicy[] {
    return this.#groups.policies;
  }
}
