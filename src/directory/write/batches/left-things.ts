/** Things that operations of a batch would replace or remove, and that stay as they are (see `BatchOptions.leaves`). */

import type { BatchOperation } from "../../batch.ts";
import { type Partition, resourceKey, under } from "../../records/layout.ts";
import { liveKey } from "../../records/owned-records.ts";
import { attachmentsOf } from "../../records/policy-records.ts";
import type { BatchScope } from "./batch-scope.ts";

type Marked = { readonly managed?: true } | undefined;

/** True for an operation on what the batch leaves as it is. */
export async function isLeft(scope: BatchScope, operation: BatchOperation): Promise<boolean> {
  switch (scope.leaves) {
    case undefined:
      return false;
    case "existing":
      return (await replacedBy(scope, operation)) !== undefined;
    case "unmanaged": {
      const removed = await removedBy(scope, operation);
      return removed !== undefined && removed.managed !== true;
    }
  }
}

async function replacedBy({ tx, context }: BatchScope, operation: BatchOperation): Promise<Marked> {
  switch (operation.op) {
    case "put_user":
      return tx.get("user", operation.user.username);
    case "put_group":
      return tx.get("group", operation.name);
    case "put_policy":
      return tx.get("policy", operation.policy.name);
    case "put_resource_type":
      return tx.get("resource_type", operation.resourceType.type);
    case "put_resource":
      return tx.get("resource", resourceKey(operation.resource.type, operation.resource.id));
    case "put_credential": {
      const key = await liveKey(tx, operation.access_key_id, context.now());
      // A key of another user is in the way, and is told.
      return key?.username === operation.username ? key : undefined;
    }
    default:
      return undefined;
  }
}

async function removedBy({ tx }: BatchScope, operation: BatchOperation): Promise<Marked> {
  const held = async (kind: "user" | "group", holder: string, partition: Partition, name: string) => {
    const id = (await tx.get(kind, holder))?.id;
    return id === undefined ? undefined : ((await tx.get(partition, under(id, name))) as Marked);
  };
  switch (operation.op) {
    case "delete_user":
      return tx.get("user", operation.username);
    case "delete_group":
      return tx.get("group", operation.name);
    case "delete_policy":
      return tx.get("policy", operation.name);
    case "delete_resource_type":
      return tx.get("resource_type", operation.type);
    case "delete_resource":
      return tx.get("resource", resourceKey(operation.type, operation.id));
    case "delete_credential":
      return tx.get("key", operation.access_key_id);
    case "delete_principal":
      return tx.get("principal", operation.principal);
    case "remove_member":
      return held("user", operation.username, "user_group", operation.group);
    case "detach_from_user":
      return held("user", operation.username, attachmentsOf("user"), operation.policy);
    case "detach_from_group":
      return held("group", operation.group, attachmentsOf("group"), operation.policy);
    default:
      return undefined;
  }
}
