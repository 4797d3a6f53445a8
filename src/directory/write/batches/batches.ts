/** The bulk side of the directory: `batch.ts` is its contract. */

import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import type { BatchOperation, DirectoryBatches, DirectoryState, StatePlan } from "../../batch.ts";
import type { DirectoryContext } from "../../context.ts";
import type { JudgedState } from "../../directory.ts";
import { judgedStateOf } from "../judging.ts";
import { markKey, readMarkedState } from "../marked-state.ts";
import { toResourceType } from "../resources.ts";
import { someAdministrator } from "../set-up-mark.ts";
import type { Transaction } from "../transaction.ts";
import { applyOperation } from "./batch-operations.ts";
import { readDirectoryState, readStateOf } from "./batch-state.ts";

/** Time in milliseconds for which a batch is repeated after lost races. */
export const BATCH_DEADLINE_MS = 60_000;

/** The bulk side of a directory. */
export function createBatches(context: DirectoryContext): DirectoryBatches {
  return {
    state: (options) => readDirectoryState(context, options),
    async apply(operations, options) {
      await context.writer.write(async (tx) => {
        await applyAll(context, tx, marked(operations, options.managed));
        const { mark } = options;
        if (mark !== undefined) tx.put("meta", markKey(mark.name), { mark: mark.value });
      }, BATCH_DEADLINE_MS);
      options.onProgress?.(operations.length, operations.length);
      context.wakeMaintenance();
    },
    async applyMarked(name, plan) {
      const result = await context.writer.write(async (tx) => {
        const planned = await plan({
          ...(await readMarkedState(tx, name)),
          someAdministrator: () => someAdministrator(tx),
        });
        if (planned === undefined) return undefined;
        await applyAll(context, tx, marked(planned.operations, false));
        tx.put("meta", markKey(name), { mark: planned.mark });
        return planned.result;
      }, BATCH_DEADLINE_MS);
      context.wakeMaintenance();
      return result;
    },
  };
}

/** Plans from everything that the directory has, and applies the plan: `directory.ts` is its contract. */
export async function applyPlanned<T>(
  context: DirectoryContext,
  plan: (state: DirectoryState, judged: JudgedState) => Promise<StatePlan<T>>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<T> {
  const work = async (tx: Transaction): Promise<T> => {
    const state = await readStateOf(tx, () => undefined);
    const planned = await plan(state, judgedStateOf(tx));
    await applyAll(context, tx, marked(planned.operations, false));
    return planned.result;
  };
  if (dryRun) return context.writer.rehearse(work);
  const result = await context.writer.write(work, BATCH_DEADLINE_MS);
  context.wakeMaintenance();
  return result;
}

/** An operation with the mark of what it puts. */
export interface MarkedOperation {
  readonly operation: BatchOperation;
  readonly managed: boolean;
}

function marked(operations: readonly BatchOperation[], managed: boolean): Iterable<MarkedOperation> {
  return operations.values().map((operation) => ({ operation, managed }));
}

/** Applies operations in order; throws "invalid_request" with the problems of all that cannot be applied. */
export async function applyAll(
  context: DirectoryContext,
  tx: Transaction,
  operations: Iterable<MarkedOperation>,
): Promise<void> {
  const scope = { tx, context, resourceTypes: await readTypes(tx) };
  let count = 0;
  const problems: Problem[] = [];
  const pause = bulkPause();
  for (const { operation, managed } of operations) {
    try {
      await applyOperation({ ...scope, managed }, operation);
    } catch (error) {
      problems.push(...problemsOf(error, count));
    }
    count += 1;
    await pause();
  }
  if (problems.length === 0) return;
  const message = `${problems.length} of ${count} operations cannot be applied; first: ${problems[0]!.message}`;
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
