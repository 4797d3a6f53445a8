/** Applies a large batch in pieces, which come into force together (spec/journal §2). */

import type { BatchOptions, OperationList } from "../../batch.ts";
import type { DirectoryContext } from "../../context.ts";
import { markKey } from "../marked-state.ts";
import type { Transaction } from "../transaction.ts";
import { applyAll, BATCH_DEADLINE_MS, marked } from "./apply-operations.ts";
import { assertEmpty } from "./assert-empty.ts";
import { LeftThings } from "./left-things.ts";

/** Operations that are applied at once, so that the log says by name what they touch. */
export const STAGED_FROM = 2_000;
/** Operations of a piece: others wait while it is written. */
const PIECE = 1_000;

/** Applies operations in order, all or nothing; only where the store can stage. Returns the number of those left out. */
export async function applyStaged(
  context: DirectoryContext,
  operations: OperationList,
  { managed, leaves, mark, onProgress, signal, intoEmpty = false }: BatchOptions,
): Promise<number> {
  let left: LeftThings | undefined;
  function* pieces(): Generator<(tx: Transaction) => Promise<void>> {
    let done = 0;
    left = leaves && new LeftThings(leaves);
    if (intoEmpty) yield assertEmpty;
    for (const piece of inPieces(operations)) {
      signal?.throwIfAborted();
      const first = done;
      yield (tx) => applyAll(context, tx, marked(piece, managed, left), first);
      done += piece.length;
      onProgress?.(done, operations.length);
    }
    if (mark === undefined) return;
    yield async (tx) => tx.put("meta", markKey(mark.name), { mark: mark.value });
  }
  await context.writer.writeStaged(pieces, BATCH_DEADLINE_MS);
  return left?.count ?? 0;
}

/** Operations in pieces of a size that is applied at once. */
export function* inPieces<T>(operations: Iterable<T>): Generator<readonly T[]> {
  let piece: T[] = [];
  for (const operation of operations) {
    piece.push(operation);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
