/** The generated source of the console: the catalog. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR_NAMES } from "@svc-authorizer/policy/model/condition-operators.ts";

const POLICIES = join(import.meta.dirname, "..", "policies");
interface Action {
  readonly name: string;
  readonly meaning: string;
  readonly resources?: readonly string[];
}

interface Type {
  readonly type: string;
  readonly meaning: string;
  readonly arn: string;
}

interface ShippedPolicy {
  readonly name: string;
  readonly description: string;
  readonly statement: readonly unknown[];
}

/** The actions and the resource types of the catalog, with what they mean, and the condition operators. */
export function consoleCatalog(head: string): string {
  const read = (file: string) => JSON.parse(readFileSync(join(POLICIES, file), "utf8"));
  const actions = (read("actions.json").actions as Action[]).map(({ name, meaning, resources }) =>
    JSON.stringify({ name, meaning, resources: resources ?? [] }),
  );
  const types = (read("resource-types.json").resource_types as Type[]).map(({ type, meaning, arn }) =>
    JSON.stringify({ type, meaning, arn }),
  );
  const shipped = (read("preconfigured/policies.json").policies as ShippedPolicy[]).map(
    ({ name, description, statement }) => JSON.stringify({ name, description, statement }),
  );
  const operators = OPERATOR_NAMES.map((name) => JSON.stringify(name));
  return `${head}
/** An action that policies can name. */
export interface CatalogAction {
  readonly name: string;
  readonly meaning: string;
  /** Types of the resources that it is decided on. */
  readonly resources: readonly string[];
}

/** A type of resources. */
export interface CatalogType {
  readonly type: string;
  readonly meaning: string;
  /** The form of its ARNs in partition \`svc\`, with names in braces. */
  readonly arn: string;
}

/** All actions, by service. */
export const ACTIONS: readonly CatalogAction[] = [
${actions.join(",\n")},
];

/** All resource types. */
export const RESOURCE_TYPES: readonly CatalogType[] = [
${types.join(",\n")},
];

/** A policy that comes with the service. */
export interface ShippedPolicy {
  readonly name: string;
  readonly description: string;
  /** In partition \`svc\`. */
  readonly statement: readonly unknown[];
}

/** The policies that come with the service. */
export const SHIPPED_POLICIES: readonly ShippedPolicy[] = [
${shipped.join(",\n")},
];

/** Condition operators without \`IfExists\`, \`ForAnyValue:\` and \`ForAllValues:\`. */
export const OPERATORS: readonly string[] = [
${operators.join(",\n")},
];
`;
}
