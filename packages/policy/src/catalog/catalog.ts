/**
 * The catalog: the actions, resource types and endpoints that policies can name, and the policies and groups that ship.
 * This file is its contract; `open-catalog.ts` reads it from `policies/`.
 */

import type { Problem } from "../errors.ts";
import type { NamedStatements } from "../model/policy.ts";
import type { KnownAction } from "../model/policy-warnings.ts";
import type { ResourceType } from "../model/resource-type.ts";
import type { EndpointApi, EndpointTable, Provenance } from "./endpoint-table.ts";

/** An action of the data server. */
export interface ActionDefinition extends KnownAction, Provenance {
  readonly meaning: string;
}

/** A resource type that ships. */
export interface ShippedResourceType extends ResourceType, Provenance {
  readonly meaning: string;
}

/** A policy created at bootstrap. */
export interface PreconfiguredPolicy extends NamedStatements, Provenance {
  readonly description: string;
}

/** A group created at bootstrap. */
export interface PreconfiguredGroup extends Provenance {
  readonly name: string;
  readonly description: string;
  /** Names of preconfigured policies attached to it. */
  readonly policies: readonly string[];
}

/** A policy whose resources contain `{parameter}`s. */
export interface PolicyTemplate extends Provenance {
  readonly id: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly meaning: string }[];
  readonly policy: NamedStatements;
}

/** Name of a JSON Schema that ships: the file name without `.schema.json`. */
export type SchemaName =
  | "actions"
  | "dataset"
  | "endpoints"
  | "manifest"
  | "policy"
  | "policy-template"
  | "policy-test"
  | "preconfigured-groups"
  | "preconfigured-policies"
  | "resource-type"
  | "resource-types";

/** A compiled JSON Schema. */
export interface Schema {
  /** All problems of a document, in document order within the schema; empty if the document is valid. */
  problems(document: unknown): Problem[];
}

/** The catalog of one partition. */
export interface Catalog {
  /** Product-name part of every ARN below. */
  readonly partition: string;
  /** Version of the policy set, e.g. `2026.11.0`. */
  readonly version: string;
  /** First 12 hexadecimal digits of the set's SHA-256, the same for every partition. */
  readonly digest: string;
  /** By name, e.g. `fs:ReadObject`. */
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  /** Services of the data server, e.g. `fs`. */
  readonly services: ReadonlySet<string>;
  /** By type, e.g. `branch`. */
  readonly resourceTypes: ReadonlyMap<string, ShippedResourceType>;
  /** In the order in which the data server's set-up creates them. */
  readonly preconfigured: {
    readonly policies: readonly PreconfiguredPolicy[];
    readonly groups: readonly PreconfiguredGroup[];
  };
  /** By id, e.g. `replication-narrow`. */
  readonly templates: ReadonlyMap<string, PolicyTemplate>;
  /** The permission tables, by API. */
  readonly endpoints: ReadonlyMap<EndpointApi, EndpointTable>;
  /** A schema of `policies/schema/`, compiled on first use. */
  schema(name: SchemaName): Schema;
}
