/** The bulk side of the directory: `batch.ts` is its contract. */

import { AuthorizerError, type Problem } from "../../errors.ts";
import type { ResourceType } from "../../model/resource-type.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import type { BatchOperation, BatchOptions, DirectoryBatches } from "../batch.ts";
import type { DirectoryContext } from "../context.ts";
import { applyOperation } from "./batch-operations.ts";
import type { BatchScope } from "./batch-scope.ts";
import { readDirectoryState } from "./batch-state.ts";
import { markKey, readMarkedState } from "./marked-state.ts";
import { toResourceType } from "./resources.ts";
import type { Transaction } from "./transaction.ts";

/** Time in milliseconds for which a batch is repeated after lost races. */
const BATCH_DEADLINE_MS = 60_000;

/** The bulk side of a directory. */
export function createBatches(context: DirectoryContext): DirectoryBatches {
  return {
    state: (options) => readDirectoryState(context, options),
    async apply(operations, options) {
      await context.writer.write(async (tx) => {
        await applyAll(context, tx, operations, options);
        const { mark } = options;
        if (mark !== undefined) tx.put("meta", markKey(mark.name), { mark: mark.value });
      }, BATCH_DEADLINE_MS);
      options.onProgress?.(operations.length, operations.length);
      context.wakeMaintenance();
    },
    async applyMarked(name, plan) {
      const result = await context.writer.write(async (tx) => {
        const planned = await plan(await readMarkedState(tx, name));
        if (planned === undefined) return undefined;
        await applyAll(context, tx, planned.operations, { managed: false });
        tx.put("meta", markKey(name), { mark: planned.mark });
        return planned.result;
      }, BATCH_DEADLINE_MS);
      context.wakeMaintenance();
      return result;
    },
  };
}

async function applyAll(
  context: DirectoryContext,
  tx: Transaction,
  operations: readonly BatchOperation[],
  { managed }: BatchOptions,
): Promise<void> {
  const scope: BatchScope = { tx, context, managed, resourceTypes: await readTypes(tx) };
  const problems: Problem[] = [];
  const pause = bulkPause();
  for (const [index, operation] of operations.entries()) {
    try {
      await applyOperation(scope, operation);
    } catch (error) {
      problems.push(...problemsOf(error, index));
    }
    await pause();
  }
  if (problems.length === 0) return;
  const message = `${problems.length} of ${operations.length} operations cannot be applied; first: ${problems[0]!.message}`;
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
