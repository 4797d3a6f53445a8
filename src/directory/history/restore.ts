/** Going back to an earlier state of the directory (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { PackedList } from "../../compact/packed-list.ts";
import { TextHashes } from "../../compact/text-hashes.ts";
import type { DirectoryContext } from "../context.ts";
import type { RestoreOptions, RestoreReport } from "../history.ts";
import type { Reader } from "../read/reader.ts";
import { endSessions } from "../records/user-records.ts";
import { applyAll, BATCH_DEADLINE_MS, type MarkedOperation } from "../write/batches/apply-operations.ts";
import { inPieces, STAGED_FROM } from "../write/batches/staged-batch.ts";
import { ReaderView, VIEWED } from "../write/batches/state-view.ts";
import { ADMINS } from "../write/set-up-mark.ts";
import type { PieceOfWork } from "../write/staged-write.ts";
import type { Transaction } from "../write/transaction.ts";
import { type PlannedRestore, planRestore } from "./plan-restore.ts";
import type { RestorePlan } from "./restore-plan.ts";

/** Makes the directory what it was, in one commit. */
export function restoreState(
  context: DirectoryContext,
  past: Reader,
  options: RestoreOptions,
): Promise<RestoreReport> {
  // What is swept is not reachable, but it stands among what is read.
  return context.restingMaintenance(() => new Restore(context, past, options).run());
}

/** One restore: plans, perhaps several times as others write, and applies. */
class Restore {
  readonly #context: DirectoryContext;
  readonly #past: Reader;
  readonly #options: RestoreOptions;
  /** The newest plan, of the state that it was made from. */
  #planned:
    | { readonly revision: number; readonly base: string | undefined; readonly plan: RestorePlan }
    | undefined;
  #ended = new EndedSessions();

  constructor(context: DirectoryContext, past: Reader, options: RestoreOptions) {
    this.#context = context;
    this.#past = past;
    this.#options = options;
  }

  async run(): Promise<RestoreReport> {
    const { writer, store } = this.#context;
    const { dryRun } = this.#options;
    const { operations } = await writer.rehearse((tx) => this.#plan(tx));
    if (operations.length > STAGED_FROM && store.stage !== undefined) {
      await writer.writeStaged(() => this.#pieces(), BATCH_DEADLINE_MS, { dryRun });
    } else if (dryRun) await writer.rehearse((tx) => this.#atOnce(tx));
    else await writer.write((tx) => this.#atOnce(tx), BATCH_DEADLINE_MS);
    const { changes, lostKeys, revocations } = this.#planned!.plan;
    return { from: this.#past.revision, changes, lostKeys, endedSessions: this.#ended.names, revocations };
  }

  /** Plans from the state of a transaction, which counts as read as a whole. */
  async #plan(tx: Transaction): Promise<RestorePlan> {
    const present = tx.readerOf(VIEWED);
    const { revision, base } = tx;
    if (this.#planned?.revision === revision && this.#planned.base === base) return this.#planned.plan;
    const open = this.#options.withCredentials ? openable(this.#context) : () => undefined;
    const [then, now] = [new ReaderView(this.#past, open), new ReaderView(present, open)];
    const { plan, administrators } = await planRestore(then, now, this.#options);
    assertAdministrator(this.#past.revision, administrators);
    this.#planned = { revision, base, plan };
    return plan;
  }

  async #atOnce(tx: Transaction): Promise<void> {
    this.#ended = new EndedSessions();
    const { operations } = await this.#plan(tx);
    await this.#apply(tx, operations);
  }

  *#pieces(): Generator<PieceOfWork> {
    this.#ended = new EndedSessions();
    yield async (tx) => void (await this.#plan(tx));
    for (const piece of inPieces(this.#planned!.plan.operations)) yield (tx) => this.#apply(tx, piece);
  }

  /** Applies operations, and ends the sessions of the users whom they touch. */
  async #apply(tx: Transaction, operations: Iterable<MarkedOperation>): Promise<void> {
    await applyAll(this.#context, tx, operations);
    for (const username of [...tx.changes.users]) {
      const user = await tx.get("user", username);
      if (user !== undefined) endSessions(tx, username, user, this.#context.nowMs());
      this.#ended.add(username);
    }
  }
}

/** Names of users whose sessions end, each once. */
class EndedSessions {
  readonly names = new PackedList<string>();
  readonly #known = new TextHashes();

  add(username: string): void {
    if (this.#known.add(username)) this.names.push(username);
  }
}

/** Opens the secrets of access keys as far as the present keys do. */
export function openable({ secrets }: DirectoryContext) {
  return (accessKeyId: string, userId: string, sealed: string): string | undefined => {
    const binding = { kind: "access_key", accessKeyId, userId } as const;
    return secrets.opens(sealed, binding) ? secrets.open(sealed, binding) : undefined;
  };
}

/** Throws where nobody would be in the group who is active: an inactive user repairs nothing. */
function assertAdministrator(revision: number, { now, past, after }: PlannedRestore["administrators"]): void {
  if (!now || after) return;
  const message = past
    ? `everybody who was in ${ADMINS} at revision ${revision} was deleted or made inactive since, and stays inactive: restoring it would leave no administrator (--forget-revocations makes them active)`
    : `at revision ${revision} nobody was in ${ADMINS}: restoring it would leave no administrator`;
  throw new AuthorizerError("invalid_request", message);
}
