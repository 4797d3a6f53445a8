/** Decides from one state, with the engine of the service (spec/decision-api §3.1), synchronously. */

import { typeInPartition } from "@svc-authorizer/policy/catalog/partition.ts";
import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import {
  decideAtOnce,
  decideInSteps,
  type EngineRequest,
  isShort,
} from "@svc-authorizer/policy/engine/decide/decide.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { addProperties } from "@svc-authorizer/policy/model/condition-fields.ts";
import type {
  ConditionFields,
  FieldValue,
  Outcome,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { withRegistered } from "@svc-authorizer/policy/model/registered-properties.ts";
import { CompiledUsers, type DecisionSettings, type ReadyUser, type TouchedIds } from "./compiled-users.ts";
import type { ReplicaState } from "./replica-state.ts";
import { ResourceNames } from "./resource-names.ts";
import { RESOURCE_TYPES } from "./shipped.gen.ts";

const NO_FIELDS: ConditionFields = new Map<string, FieldValue>();
const NO_PROPERTIES: Properties = {};

/** Units of work that a question takes at most: the default of the service (`authorizer.limits.work`). */
const MOST_WORK = 2_000_000_000;

/** The work that one call may still take: long conditions and large trees use it up. */
export class Allowance {
  #left = MOST_WORK;

  /** @throws RangeError when there is not enough left */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      throw new RangeError(`the question needs more work than ${MOST_WORK} units; ask about less`);
    }
  }
}

/** A state with what was compiled from it. */
export class DecisionPoint {
  readonly state: ReplicaState;
  readonly settings: DecisionSettings;
  readonly #users: CompiledUsers;
  readonly #lookup = new Lookup();
  #resources: ResourceNames;

  constructor(state: ReplicaState, settings: DecisionSettings) {
    this.state = state;
    this.settings = settings;
    this.#users = new CompiledUsers(state, settings);
    this.#resources = this.#resourceNames();
  }

  /**
   * Decides; undefined for a user who does not exist.
   * @throws RangeError when the work is more than the allowance
   */
  decide(
    user: string,
    required: RequiredPermissions,
    given: Properties | undefined,
    allowance = new Allowance(),
  ): Outcome | undefined {
    const ready = this.#users.get(user);
    if (ready === undefined) return undefined;
    const { policies } = ready;
    if (!policies.readsContext)
      return this.#decided(policies, { user, required, context: NO_FIELDS }, allowance);
    const context = this.#fieldsOf(ready, given);
    if (!policies.readsResource) return this.#decided(policies, { user, required, context }, allowance);
    const { request_properties } = this.settings;
    const contextOf = (arn: string): ConditionFields =>
      withRegistered(context, { resource: this.#resources.propertiesOf(arn) }, request_properties);
    return this.#decided(policies, { user, required, context, contextOf }, allowance);
  }

  #decided(policies: CompiledPolicies, request: EngineRequest, allowance: Allowance): Outcome {
    const outcome = isShort(request.required) ? decideAtOnce(policies, request, this.#lookup) : undefined;
    if (outcome !== undefined) return outcome;
    const steps = decideInSteps(policies, request);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      allowance.spend(step.value);
    }
  }

  /** Takes notice that an entry of the log changed the state. */
  changed(touched: TouchedIds): void {
    this.#users.evict(touched);
    if (touched.resources === true || touched.all === true) this.#resources = this.#resourceNames();
  }

  #fieldsOf({ user }: ReadyUser, given: Properties | undefined): ConditionFields {
    let fields = NO_FIELDS;
    if (given !== undefined) {
      const read = new Map<string, FieldValue>();
      addProperties(read, "", given);
      fields = read;
    }
    return withRegistered(
      fields,
      { subject: user.properties ?? NO_PROPERTIES },
      this.settings.request_properties,
    );
  }

  #resourceNames(): ResourceNames {
    const { partition } = this.settings;
    return new ResourceNames(
      this.state,
      RESOURCE_TYPES.map((type) => typeInPartition(type, partition)),
    );
  }
}
