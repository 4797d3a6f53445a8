/** Registered properties of users and resources from files, as the directory has them (spec/decision-api §2.7). */

import { isDeepStrictEqual } from "node:util";
import type { CompiledPolicies } from "../../engine/compile/compile.ts";
import type { EngineRequest } from "../../engine/decide/decide.ts";
import type { ConditionFields, DecisionContext, RequiredPermissions } from "../../model/decision.ts";
import type { Properties } from "../../model/entities.ts";
import { bySpecificity, type KnownType, knownType, resourcesOf } from "../../model/known-type.ts";
import { withRegistered } from "../../model/registered-properties.ts";
import type { RegisteredResource, ResourceType } from "../../model/resource-type.ts";

/** The condition fields of a request, and what the files do not say. */
interface OfflineFields extends Pick<EngineRequest, "context" | "contextOf"> {
  /** Fields that conditions read and that neither the request nor the files have, of entities that no file defines. */
  readonly unknown: readonly string[];
}

/** Collects the properties of files. */
export class RegisteredWorld {
  readonly #users = new Map<string, Properties>();
  readonly #resources = new Map<string, Properties>();
  readonly #types = new Map<string, KnownType>();

  readonly #written = new Map<string, ResourceType>();

  /** The types that were added, as they are written. */
  get types(): readonly ResourceType[] {
    return [...this.#written.values()];
  }

  /** Adds resource types; those of data sets beside the shipped ones. */
  addTypes(types: Iterable<ResourceType>): void {
    for (const type of types) {
      this.#types.set(type.type, knownType(type));
      this.#written.set(type.type, type);
    }
  }

  /** Adds a user, with the properties that the file gives. */
  addUser(username: string, properties: Properties = {}): void {
    this.#users.set(username, { ...this.#users.get(username), ...properties });
  }

  /** Adds a resource. */
  addResource({ type, id, properties = {} }: RegisteredResource): void {
    this.#resources.set(JSON.stringify([type, id]), properties);
  }

  /** Numbers of users and of resources that have other properties in another world. */
  changedIn(other: RegisteredWorld): { readonly users: number; readonly resources: number } {
    return {
      users: differences(this.#users, other.#users),
      resources: differences(this.#resources, other.#resources),
    };
  }

  /** The condition fields for a request, as the service has them with `authorizer.request_properties: fill`. */
  fieldsOf(
    user: string,
    required: RequiredPermissions,
    given: DecisionContext,
    policies: CompiledPolicies,
  ): OfflineFields {
    if (!policies.readsContext) return { context: given, unknown: [] };
    const subject = this.#users.get(user);
    const context = withRegistered(given, subject === undefined ? {} : { subject }, "fill");
    const reads = new Set(policies.statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]));
    const unknown = new Set<string>();
    const miss = (prefix: string, fields: ConditionFields): void => {
      for (const field of reads) if (field.startsWith(prefix) && !fields.has(field)) unknown.add(field);
    };
    if (subject === undefined) miss("subject.", context);
    if (!policies.readsResource) return { context, unknown: [...unknown] };
    const ofArn = new Map<string, ConditionFields>();
    for (const arn of arnsOf(required)) {
      const resource = this.#propertiesOf(arn);
      ofArn.set(arn, withRegistered(context, { resource }, "fill"));
      if (resource === undefined) miss("resource.", context);
    }
    return { context, contextOf: (arn) => ofArn.get(arn) ?? context, unknown: [...unknown] };
  }

  /** Of several types that produce the ARN, the one with the most specific template. */
  #propertiesOf(arn: string): Properties | undefined {
    for (const { type, id } of resourcesOf(arn, bySpecificity(this.#types.values()))) {
      const found = this.#resources.get(JSON.stringify([type, id]));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Number of names whose properties differ; none are as good as no entry. */
function differences(one: ReadonlyMap<string, Properties>, other: ReadonlyMap<string, Properties>): number {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(one.get(name) ?? {}, other.get(name) ?? {})).length;
}

function arnsOf(required: RequiredPermissions): readonly string[] {
  if ("action" in required) return [required.resource];
  if ("any_resource" in required) return [];
  return ("and" in required ? required.and : required.or).flatMap(arnsOf);
}

/** A sentence about fields that the files do not say; undefined if there are none. */
export function unknownFieldsText(unknown: readonly string[]): string | undefined {
  if (unknown.length === 0) return undefined;
  return `the files do not say ${unknown.join(", ")}, which conditions read: the service may know it and decide otherwise`;
}
