/** The bulk side of the directory: `batch.ts` is its contract. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  type BatchOptions,
  type DirectoryBatches,
  type DirectoryState,
  MAX_AT_ONCE,
  type OperationList,
  type StatePlan,
} from "../../batch.ts";
import { type DirectoryContext, read } from "../../context.ts";
import type { JudgedState } from "../../directory.ts";
import { judgedStateOf } from "../judging.ts";
import { markKey, readMarkedState } from "../marked-state.ts";
import { someAdministrator } from "../set-up-mark.ts";
import type { Transaction } from "../transaction.ts";
import { applyAll, BATCH_DEADLINE_MS, marked } from "./apply-operations.ts";
import { assertEmpty } from "./assert-empty.ts";
import { opening, readDirectoryState, readStateOf } from "./batch-state.ts";
import { LeftThings } from "./left-things.ts";
import { applyStaged, STAGED_FROM } from "./staged-batch.ts";
import { ReaderView } from "./state-view.ts";

/** The bulk side of a directory. */
export function createBatches(context: DirectoryContext): DirectoryBatches {
  return {
    state: (options) => readDirectoryState(context, options),
    viewing: (options, look) =>
      read(context, (reader) => look(new ReaderView(reader, opening(context, options)))),
    async apply(operations, options) {
      const isStaged = operations.length > STAGED_FROM && context.store.stage !== undefined;
      const left = await (isStaged ? applyStaged : applyAtOnce)(context, operations, options);
      options.onProgress?.(operations.length, operations.length);
      context.wakeMaintenance();
      return left;
    },
    mark: (name) =>
      read(context, async (reader) => {
        const stored = await reader.get("meta", markKey(name));
        if (stored?.mark === undefined) return undefined;
        return { value: stored.mark, revision: await reader.versionOf("meta", markKey(name)) };
      }),
    async applyMarked(name, plan) {
      const result = await context.writer.write(async (tx) => {
        const planned = await plan({
          ...(await readMarkedState(tx, name, context.now())),
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

async function applyAtOnce(
  context: DirectoryContext,
  operations: OperationList,
  { managed, leaves, mark, signal, intoEmpty = false }: BatchOptions,
): Promise<number> {
  if (operations.length > MAX_AT_ONCE) {
    const message = `the store takes ${MAX_AT_ONCE} changes at once, and these are ${operations.length}: make them in several steps`;
    throw new AuthorizerError("invalid_request", message);
  }
  return context.writer.write(async (tx) => {
    signal?.throwIfAborted();
    if (intoEmpty) await assertEmpty(tx);
    const left = leaves && new LeftThings(leaves);
    await applyAll(context, tx, marked(operations, managed, left));
    if (mark !== undefined) tx.put("meta", markKey(mark.name), { mark: mark.value });
    return left?.count ?? 0;
  }, BATCH_DEADLINE_MS);
}

/** Plans from everything that the directory has, and applies the plan: `directory.ts` is its contract. */
export async function applyPlanned<T>(
  context: DirectoryContext,
  plan: (state: DirectoryState, judged: JudgedState) => Promise<StatePlan<T>>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<T> {
  const work = async (tx: Transaction): Promise<T> => {
    const state = await readStateOf(tx, () => undefined);
    const planned = await plan(state, judgedStateOf(tx, context.now));
    await applyAll(context, tx, marked(planned.operations, false));
    return planned.result;
  };
  if (dryRun) return context.writer.rehearse(work);
  const result = await context.writer.write(work, BATCH_DEADLINE_MS);
  context.wakeMaintenance();
  return result;
}
