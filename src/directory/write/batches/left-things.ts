/** Things that operations of a batch would replace or remove, and that stay as they are (see `BatchOptions.leaves`). */

import type { BatchOperation, BatchOptions } from "../../batch.ts";
import type { DirectoryContext } from "../../context.ts";
import { type Partition, resourceKey, under } from "../../records/layout.ts";
import { liveKey } from "../../records/owned-records.ts";
import { attachmentsOf } from "../../records/policy-records.ts";
import type { Transaction } from "../transaction.ts";

/** The state that operations are applied to, as far as this looks at it. */
interface LookedAt {
  readonly tx: Transaction;
  readonly context: Pick<DirectoryContext, "now">;
}

type Marked = { readonly managed?: true } | undefined;

/** Finds what one attempt of a batch leaves as it is, and counts the operations that are not applied for it. */
export class LeftThings {
  readonly #leaves: NonNullable<BatchOptions["leaves"]>;
  /** Names of preconfigured groups that stay as they are: their policies do, too. */
  readonly #groups = new Set<string>();
  #count = 0;

  constructor(leaves: NonNullable<BatchOptions["leaves"]>) {
    this.#leaves = leaves;
  }

  /** Operations that were not applied. */
  get count(): number {
    return this.#count;
  }

  /** True for an operation on what stays as it is: it is counted, and must not be applied. */
  async has(state: LookedAt, operation: BatchOperation): Promise<boolean> {
    const isLeft = await this.#leavesTargetOf(state, operation);
    if (!isLeft) return false;
    if (operation.op === "put_group" && operation.preconfigured) this.#groups.add(operation.name);
    this.#count += 1;
    return true;
  }

  async #leavesTargetOf(state: LookedAt, operation: BatchOperation): Promise<boolean> {
    if (operation.op === "attach_to_group" && operation.preconfigured && this.#groups.has(operation.group))
      return true;
    if (this.#leaves === "existing") return (await replacedBy(state, operation)) !== undefined;
    const isKept = "preconfigured" in operation && operation.preconfigured === true;
    const target = await (isKept ? replacedBy : removedBy)(state, operation);
    return target !== undefined && target.managed !== true;
  }
}

async function replacedBy({ tx, context }: LookedAt, operation: BatchOperation): Promise<Marked> {
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

async function removedBy({ tx }: LookedAt, operation: BatchOperation): Promise<Marked> {
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
