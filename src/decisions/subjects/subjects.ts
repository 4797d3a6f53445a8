/**
 * The subjects of decisions: users of the directory, and where `authorizer.subjects.unknown` says so, subjects that it
 * does not know, with the policies of the groups that their request asserts (spec/decision-api §8). A user of the
 * directory has what the directory says, whatever a request asserts. A token of an identity provider says who the
 * subject is, and asserts its groups in place of the request (spec/decision-api §8.9).
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import type { Principals } from "../principals.ts";
import { type Asserter, groupsOf, TOO_MANY_GROUPS } from "./asserted-groups.ts";
import type { GroupSets } from "./group-sets.ts";
import type { SubjectTokens, VouchedSubject } from "./subject-tokens.ts";
import type { SignedGroups, UnknownReason } from "./unknown-reason.ts";
import { unknownSubject } from "./unknown-subject.ts";

/** The fate of a subject that the directory does not know (`authorizer.subjects.unknown`). */
export type UnknownSubjects = "deny" | "from_request";

/** A subject as a request names it. */
export interface AskedSubject {
  readonly user: string;
  /** The groups that the request asserts, as given. */
  readonly groups?: unknown;
  /** The caller who asserts them. */
  readonly asserter?: Asserter | undefined;
  /** A token of an identity provider, as given: it then asserts the groups, and nobody else. Null is none. */
  readonly token?: unknown;
  /** False: a user of the directory who has this name is somebody else. Default true. */
  readonly mayBeUser?: boolean | undefined;
  /** The groups are those of a verified token: how it names them. */
  readonly signed?: SignedGroups | undefined;
}

/** The subject of a token, and how a request named it. */
interface SignedSubject extends AskedSubject {
  readonly asked: AskedSubject;
}

/** Options of {@link Subjects}. */
interface SubjectsOptions {
  readonly principals: Principals;
  readonly groups: GroupSets;
  readonly unknown: UnknownSubjects;
  /** Types of AuthZEN subjects that are users of the directory (`authorizer.subjects.types`). */
  readonly types: readonly string[];
  /** Verifies tokens; absent if no issuer is configured: then no token holds. */
  readonly tokens?: SubjectTokens | undefined;
}

/** Times that a subject is looked up anew because the directory changed meanwhile. */
const MOST_ATTEMPTS = 10;
const NONE: readonly string[] = [];

/** Finds the subjects of decisions with their compiled policies. */
export class Subjects {
  readonly #principals: Principals;
  readonly #groups: GroupSets;
  readonly #fromRequest: boolean;
  readonly #types: ReadonlySet<string>;
  readonly #tokens: SubjectTokens | undefined;
  /** Subjects for whom nothing speaks, for another reason than that nobody knows them. */
  readonly #refused = new WeakMap<AskedSubject, UnknownReason>();

  constructor({ principals, groups, unknown, types, tokens }: SubjectsOptions) {
    this.#principals = principals;
    this.#groups = groups;
    this.#fromRequest = unknown === "from_request";
    this.#types = new Set(types);
    this.#tokens = tokens;
  }

  /** True if tokens of some issuer are verified. */
  get readsTokens(): boolean {
    return this.#tokens !== undefined;
  }

  /** True for a type of AuthZEN subjects that are users of the directory. */
  areUsers(type: string): boolean {
    return this.#types.has(type);
  }

  /** The reason why a subject was not found. */
  whyUnknown(asked: AskedSubject): UnknownReason {
    return this.#refused.get(asked) ?? "unknown_user";
  }

  /** As {@link Principals.find}, for any subject. Rejects with "unavailable" if the issuer of a token is. */
  find(
    asked: AskedSubject,
    required: RequiredPermissions,
    budget?: WorkBudget,
  ): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    if (!hasToken(asked)) return this.#find(asked, required, budget);
    return this.#vouchedFor(asked, (subject) => this.#find(subject, required, budget));
  }

  /** As {@link Principals.get}, for any subject. */
  get(asked: AskedSubject): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    if (!hasToken(asked)) return this.#get(asked);
    return this.#vouchedFor(asked, (subject) => this.#get(subject));
  }

  /** Finds the subject of the token; undefined if the token does not hold or names somebody else. */
  #vouchedFor(
    asked: AskedSubject,
    find: (subject: AskedSubject) => CachedPrincipal | Promise<CachedPrincipal | undefined>,
  ): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const found = (vouched: VouchedSubject) => {
      if (vouched.user !== asked.user) return this.#refuse(asked);
      const { user, groups, asserter, mayBeUser, groupsAreElsewhere } = vouched;
      const signed = { groupsAreElsewhere };
      return find({ user, groups, asserter, mayBeUser, signed, asked } as SignedSubject);
    };
    const failed = (error: unknown) => {
      if (!isErrorCode(error, "unauthenticated")) throw error;
      return this.#refuse(asked);
    };
    try {
      const { token } = asked;
      if (typeof token !== "string" || this.#tokens === undefined) return this.#refuse(asked);
      const vouched = this.#tokens.verify(token);
      return vouched instanceof Promise ? vouched.then(found, failed) : found(vouched);
    } catch (error) {
      return failed(error);
    }
  }

  #refuse(asked: AskedSubject): Promise<undefined> {
    this.#refused.set(asked, "invalid_token");
    return Promise.resolve(undefined);
  }

  #find(
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

  #get(asked: AskedSubject): CachedPrincipal | Promise<CachedPrincipal | undefined> {
    const names = this.#asserted(asked);
    if (names.length === 0) return notUser(asked, this.#principals.get(asked.user));
    const found = this.#known(asked, names) ?? this.#load(asked, names);
    if (!(found instanceof Promise)) return found;
    return found.then((any) => (any?.asserted === undefined ? notUser(asked, Promise.resolve(any)) : any));
  }

  /** The names of groups that count unless the subject is a user; of a user in the cache none do. */
  #asserted(subject: AskedSubject | SignedSubject): readonly string[] {
    const { user, groups, asserter, signed } = subject;
    const asked = "asked" in subject ? subject.asked : subject;
    if (signed?.groupsAreElsewhere === true) this.#refused.set(asked, "groups_overage");
    if (!this.#fromRequest || groups === undefined) return NONE;
    if (this.#principals.cached(user) !== undefined || !isPossibleName(user)) return NONE;
    const names = groupsOf(groups, asserter, signed !== undefined);
    if (names !== TOO_MANY_GROUPS) return names;
    this.#refused.set(asked, "too_many_groups");
    return NONE;
  }

  /** Both caches hold what is in force now, so that what they say belongs together. */
  #known(asked: AskedSubject, names: readonly string[]): CachedPrincipal | undefined {
    if (!this.#principals.isKnownAbsent(asked.user)) return undefined;
    const groups = this.#groups.cached(names);
    return groups && unknownSubject(asked, groups);
  }

  /** Reads user and groups; anew where the directory changed in between, so that they are of one state. */
  async #load(asked: AskedSubject, names: readonly string[]): Promise<CachedPrincipal | undefined> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { generation } = this.#principals;
      const user = await this.#principals.get(asked.user);
      if (user !== undefined) return user;
      const groups = await this.#groups.load(names);
      if (generation === this.#principals.generation) return unknownSubject(asked, groups);
    }
    throw new AuthorizerError(
      "unavailable",
      "the directory changes too often to read this subject; try again",
    );
  }
}

function hasToken({ token }: AskedSubject): boolean {
  return token !== undefined && token !== null;
}

/** The user, unless the name may not stand for a user: in a token, that of one who works for the service never does. */
function notUser(
  { mayBeUser = true, signed }: AskedSubject,
  found: CachedPrincipal | Promise<CachedPrincipal | undefined>,
): CachedPrincipal | Promise<CachedPrincipal | undefined> {
  if (!mayBeUser) return Promise.resolve(undefined);
  if (signed === undefined) return found;
  if (found instanceof Promise) return found.then(exceptOfService);
  return found.principal.isOfService ? Promise.resolve(undefined) : found;
}

function exceptOfService(user: CachedPrincipal | undefined): CachedPrincipal | undefined {
  return user?.principal.isOfService === true ? undefined : user;
}
