/** Writes that are made in pieces, each of which sees those before it, and come into force together (spec/journal §2). */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Stage, Store } from "../../store/port.ts";
import type { Authors } from "../author.ts";
import { PolicyCache } from "../read/policy-cache.ts";
import { Transaction } from "./transaction.ts";

/** The work of one piece. */
export type PieceOfWork = (tx: Transaction) => Promise<void>;

/** The parts of a writer that stages need. */
interface StagedParts {
  readonly store: Store;
  readonly authors: Authors;
  readonly judge: PieceOfWork;
  /** Adds what the pieces together have to bring along. */
  readonly completeStage: PieceOfWork;
}

/**
 * Runs pieces in order, and all again after somebody else wrote what they had read, until `deadlineMs` have passed since the
 * first time; then throws "conflict".
 * @param options `dryRun`: nothing is put in force
 */
export async function writeStaged(
  parts: StagedParts,
  pieces: () => Iterable<PieceOfWork>,
  deadlineMs: number,
  { dryRun }: { readonly dryRun: boolean } = { dryRun: false },
): Promise<void> {
  for (let end: number | undefined; ; ) {
    const stage = await begin(parts);
    try {
      for (const piece of pieces()) await add(parts, stage, piece);
      await add(parts, stage, parts.completeStage);
      if (dryRun) await stage.abandon();
      else await stage.commit();
      return;
    } catch (error) {
      await stage.abandon();
      if (!isErrorCode(error, "conflict")) throw error;
      end ??= performance.now() + deadlineMs;
      if (performance.now() > end)
        throw new AuthorizerError("conflict", "others kept changing the same records; try again");
    }
  }
}

async function begin({ store, authors }: StagedParts): Promise<Stage> {
  if (store.stage === undefined) throw new AuthorizerError("internal", "the store has no stages");
  const actor = authors.name;
  // Whom it touches is not known before the last piece.
  return store.stage({
    change: { all: true },
    touched: { all: true },
    ...(actor !== undefined && { actor }),
  });
}

/** Stages one piece; again where somebody else wrote what it alone had read. */
async function add({ judge }: StagedParts, stage: Stage, work: PieceOfWork): Promise<void> {
  for (;;) {
    const snapshot = await stage.snapshot();
    try {
      // What is staged has no version by which a policy could be known again.
      const tx = new Transaction(snapshot, new PolicyCache());
      await judge(tx);
      await work(tx);
      const { reads } = tx.toCheck();
      const { put = [], delete: deleted = [] } = (await tx.toCommit()) ?? {};
      await stage.add({ reads, put, delete: deleted });
      return;
    } catch (error) {
      if (!isErrorCode(error, "conflict") || stage.isLost) throw error;
    } finally {
      snapshot.release();
    }
  }
}
