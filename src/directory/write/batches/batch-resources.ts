/** Operations of a batch on resource types and registered resources. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName, resourceIdProblem } from "@svc-authorizer/policy/model/names.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { resourceTypeProblems } from "@svc-authorizer/policy/model/resource-type-validation.ts";
import type { BatchOperation } from "../../batch.ts";
import { assertNoProblems, Problems, propertiesProblem, quoted } from "../../checks.ts";
import { mark, type ResourceRecord, type ResourceTypeRecord, resourceKey } from "../../records/layout.ts";
import type { BatchScope } from "./batch-scope.ts";

type OnResources = Extract<
  BatchOperation,
  { readonly op: "put_resource_type" | "delete_resource_type" | "put_resource" | "delete_resource" }
>;

/** Applies one operation on a resource type or a registered resource. */
export async function applyResource(scope: BatchScope, operation: OnResources): Promise<void> {
  switch (operation.op) {
    case "put_resource_type":
      return putType(scope, operation.resourceType);
    case "put_resource":
      return putResource(scope, operation.resource);
    case "delete_resource_type":
      scope.resourceTypes.delete(operation.type);
      return remove(scope, "resource_type", operation.type, [operation.type]);
    case "delete_resource":
      return remove(scope, "resource", resourceKey(operation.type, operation.id), [
        operation.type,
        operation.id,
      ]);
  }
}

async function putType(
  { tx, context, managed, resourceTypes }: BatchScope,
  type: ResourceType,
): Promise<void> {
  const { partition, services } = context.rules;
  assertNoProblems(resourceTypeProblems(type, { partition, builtInServices: services }));
  const before = await tx.get("resource_type", type.type);
  const after: ResourceTypeRecord = {
    type: type.type,
    arn: type.arn,
    id: type.id,
    actions: type.actions,
    ...mark(managed || before?.managed === true),
  };
  resourceTypes.set(type.type, type);
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  tx.put("resource_type", type.type, after);
  tx.changes.touchResource(type.type);
}

async function putResource(scope: BatchScope, { type, id, properties }: RegisteredResource): Promise<void> {
  const { tx, context, managed, resourceTypes } = scope;
  const problems = new Problems();
  problems.add("/id", resourceIdProblem(id));
  problems.add("/properties", propertiesProblem(properties));
  assertNoProblems(problems.list);
  if (!resourceTypes.has(type) && !context.rules.resourceTypes.has(type)) {
    throw new AuthorizerError("not_found", `resource type ${quoted(type)} does not exist`);
  }
  const key = resourceKey(type, id);
  const before = await tx.get("resource", key);
  const after: ResourceRecord = {
    type,
    ...(properties !== undefined && { properties }),
    ...mark(managed || before?.managed === true),
  };
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  tx.put("resource", key, after);
  tx.changes.touchResource(`${type}/${id}`);
}

async function remove(
  { tx }: BatchScope,
  partition: "resource_type" | "resource",
  key: string,
  names: readonly string[],
): Promise<void> {
  if (!names.every(isPossibleName) || (await tx.get(partition, key)) === undefined) return;
  tx.delete(partition, key);
  tx.changes.touchResource(names.join("/"));
}
