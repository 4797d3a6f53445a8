/** Registered properties of a resource that a question names by its ARN (security.md §3.4). */

import type { Properties } from "../../model/entities.ts";
import type { ResourceType } from "../../model/resource-type.ts";
import { type CompiledTemplate, compileTemplate, parseTemplate } from "../../model/template.ts";
import { compareUtf8 } from "../../model/utf8-order.ts";
import type { ReplicaState } from "./replica-state.ts";

interface Known {
  readonly type: string;
  readonly template: CompiledTemplate;
  readonly literals: number;
}

/** The types of one state, those with most literal text first. */
export class ResourceNames {
  readonly #state: ReplicaState;
  readonly #types: readonly Known[];

  /** @param shipped the types that come with the service; types of the state go before them */
  constructor(state: ReplicaState, shipped: readonly ResourceType[]) {
    this.#state = state;
    const all = new Map([...shipped, ...state.resourceTypes.values()].map((type) => [type.type, type]));
    this.#types = [...all.values()]
      .map((type) => ({
        type: type.type,
        template: compileTemplate(type),
        literals: parseTemplate(type.arn).literals.join("*").length,
      }))
      .sort((a, b) => b.literals - a.literals || compareUtf8(a.type, b.type));
  }

  /** The properties of the resource with this ARN; undefined for one that is not registered. */
  propertiesOf(arn: string): Properties | undefined {
    for (const { type, template } of this.#types) {
      const id = template.fromArn(arn);
      const found = id === undefined ? undefined : this.#state.resource(type, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
