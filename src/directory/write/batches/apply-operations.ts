/** Applies operations of batches inside a transaction. */

import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import type { BatchOperation } from "../../batch.ts";
import type { DirectoryContext } from "../../context.ts";
import { toResourceType } from "../resources.ts";
import type { Transaction } from "../transaction.ts";
import { applyOperation } from "./batch-operations.ts";
import type { LeftThings } from "./left-things.ts";

/** Time in milliseconds for which a batch is repeated after lost races. */
export const BATCH_DEADLINE_MS = 60_000;

/** An operation with the mark of what it puts. */
export interface MarkedOperation {
  readonly operation: BatchOperation;
  readonly managed: boolean;
  readonly left?: LeftThings | undefined;
}

/** Operations that all have one mark. */
export function* marked(
  operations: Iterable<BatchOperation>,
  managed: boolean,
  left?: LeftThings,
): Iterable<MarkedOperation> {
  for (const operation of operations) yield { operation, managed, left };
}

/**
 * Applies operations in order; throws "invalid_request" with the problems of all that cannot be applied.
 * @param first number of the first of them
 */
export async function applyAll(
  context: DirectoryContext,
  tx: Transaction,
  operations: Iterable<MarkedOperation>,
  first = 0,
): Promise<void> {
  const scope = { tx, context, resourceTypes: await readTypes(tx) };
  let count = first;
  const problems: Problem[] = [];
  const pause = bulkPause();
  for (const { operation, managed, left } of operations) {
    try {
      await applyOperation({ ...scope, managed, left }, operation);
    } catch (error) {
      problems.push(...problemsOf(error, count));
    }
    count += 1;
    await pause();
  }
  if (problems.length === 0) return;
  const message = `${problems.length} of ${count - first} operations cannot be applied; first: ${problems[0]!.message}`;
  throw new AuthorizerError("invalid_request", message, { problems });
}

/** The problems of a failed operation. Rethrows failures of the store. */
function problemsOf(error: unknown, index: number): readonly Problem[] {
  if (!(error instanceof AuthorizerError)) throw error;
  if (error.code === "not_found" || error.code === "already_exists") {
    return [{ pointer: `/${index}`, message: error.message }];
  }
  if (error.code !== "invalid_request") throw error;
  return error.problems.map(({ pointer, message }) => ({ pointer: `/${index}${pointer}`, message }));
}

async function readTypes(tx: Transaction): Promise<Map<string, ResourceType>> {
  const types = new Map<string, ResourceType>();
  for await (const page of tx.scanAll("resource_type")) {
    for (const { key, record } of page) types.set(key, toResourceType(record));
  }
  return types;
}
