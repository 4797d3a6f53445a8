/** Registered properties of a resource that a question names by its ARN (spec/security §3.4). */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import {
  bySpecificity,
  type KnownType,
  knownType,
  resourcesOf,
} from "@svc-authorizer/policy/model/known-type.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { ReplicaState } from "./replica-state.ts";

/** The types of one state, those with most literal text first. */
export class ResourceNames {
  readonly #state: ReplicaState;
  readonly #types: readonly KnownType[];

  /** @param shipped the types that come with the service; types of the state go before them */
  constructor(state: ReplicaState, shipped: readonly ResourceType[]) {
    this.#state = state;
    const all = new Map([...shipped, ...state.resourceTypes.values()].map((type) => [type.type, type]));
    this.#types = bySpecificity([...all.values()].map(knownType));
  }

  /** The properties of the resource with this ARN; undefined for one that is not registered. */
  propertiesOf(arn: string): Properties | undefined {
    for (const { type, id } of resourcesOf(arn, this.#types)) {
      const found = this.#state.resource(type, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
