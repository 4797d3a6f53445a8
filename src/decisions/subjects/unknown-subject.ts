/** A subject that is no user of the directory, with the policies of groups that it has (spec/decision-api §8.2). */

import type { Assertion } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { EffectivePolicy } from "@svc-authorizer/policy/model/policy.ts";
import type { Principal } from "../../directory/principal.ts";
import { CachedPrincipal } from "../cached-principal.ts";
import type { Asserter } from "./asserted-groups.ts";
import type { CachedGroups } from "./group-sets.ts";

/** A subject by name, and who asserts its groups. */
interface Asserted {
  readonly user: string;
  readonly asserter?: Asserter | undefined;
}

/** The subject with the policies of the groups; undefined if none of the groups exists. */
export function unknownSubject(
  { user, asserter }: Asserted,
  { principal, policies }: CachedGroups,
): CachedPrincipal | undefined {
  if (principal.names.length === 0) return undefined;
  const asserted: Assertion = { by: asserter?.name ?? "", groups: principal.names };
  return new CachedPrincipal(new UnknownSubject(user, principal), policies, asserted);
}

const NO_PROPERTIES: Properties = {};

class UnknownSubject implements Principal {
  readonly id = "";
  readonly username: string;
  readonly properties = NO_PROPERTIES;
  readonly isInactive = false;
  readonly isOfService = false;
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
