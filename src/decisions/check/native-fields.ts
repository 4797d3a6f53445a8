/** Condition fields of native calls, which name resources by their ARNs (spec/decision-api §3). */

import type { EngineRequest } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type {
  ConditionFields,
  DecisionContext,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import {
  type RequestProperties,
  withRegistered,
} from "@svc-authorizer/policy/model/registered-properties.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import type { AskedResource } from "../decision-log.ts";
import type { RegisteredResources } from "../registered-resources.ts";

/** The condition fields for a decision about a tree of permissions. */
export type TreeFields = Pick<EngineRequest, "context" | "contextOf">;

/** Policies, and the user whose registered attributes they read. */
interface FieldsOfUser {
  readonly policies: CachedPrincipal["policies"];
  readonly principal: Pick<CachedPrincipal["principal"], "properties">;
}

/** Adds registered attributes to the context of a request, if the policies of the user read any. */
export class NativeFields {
  readonly #registered: RegisteredResources;
  readonly #requestProperties: RequestProperties;

  constructor(registered: RegisteredResources, requestProperties: RequestProperties) {
    this.#registered = registered;
    this.#requestProperties = requestProperties;
  }

  /** The fields without those of a resource; the context itself if no policy reads attributes. */
  ofUser(given: ConditionFields, { policies, principal }: FieldsOfUser): ConditionFields {
    if (!policies.readsContext) return given;
    return withRegistered(given, { subject: principal.properties }, this.#requestProperties);
  }

  /** The fields with those of a resource, which a call may have named by type and id. */
  async ofResource(given: ConditionFields, arn: string, named?: AskedResource): Promise<ConditionFields> {
    const resource = await this.#registered.propertiesOf(arn, named);
    return withRegistered(given, { resource }, this.#requestProperties);
  }

  /**
   * The fields of every resource of a tree; synchronous if no condition reads their attributes.
   * @param named the only resource, where the call named it by type and id
   */
  of(
    given: DecisionContext,
    user: FieldsOfUser,
    required: RequiredPermissions,
    named?: AskedResource,
  ): TreeFields | Promise<TreeFields> {
    const context = this.ofUser(given, user);
    return user.policies.readsResource ? this.#ofTree(context, required, named) : { context };
  }

  async #ofTree(
    context: ConditionFields,
    required: RequiredPermissions,
    named: AskedResource | undefined,
  ): Promise<TreeFields> {
    const arns = [...new Set(resourcesOf(required))];
    const found = await Promise.all(
      arns.map(async (arn) => [arn, await this.ofResource(context, arn, named)] as const),
    );
    const fields = new Map(found);
    return { context, contextOf: (arn) => fields.get(arn) ?? context };
  }
}

function resourcesOf(required: RequiredPermissions): readonly string[] {
  if ("action" in required) return [required.resource];
  if ("any_resource" in required) return [];
  return ("and" in required ? required.and : required.or).flatMap(resourcesOf);
}
