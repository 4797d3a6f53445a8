/** Going back to an earlier state of the directory (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DirectoryState } from "../batch.ts";
import type { DirectoryContext } from "../context.ts";
import type { RestoreOptions, RestoreReport, Revocation } from "../history.ts";
import { endSessions } from "../records/user-records.ts";
import { applyAll, BATCH_DEADLINE_MS } from "../write/batches/apply-operations.ts";
import { readStateOf } from "../write/batches/batch-state.ts";
import type { Transaction } from "../write/transaction.ts";
import { planRestore } from "./plan-restore.ts";

const ADMINS = "Admins";

/**
 * Makes the directory what it was, in one commit.
 * @param past the state to go back to, with the secrets that open
 */
export async function restoreState(
  context: DirectoryContext,
  revision: number,
  past: DirectoryState,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const work = async (tx: Transaction): Promise<RestoreReport> => {
    const present = await readStateOf(tx, openable(context));
    const { operations, changes, lostKeys, revocations } = planRestore(past, present, options);
    if (hasAdministrator(present))
      assertAdministrator(revision, past, options.forgetRevocations ? [] : revocations);
    await applyAll(context, tx, operations);
    const endedSessions = [...tx.changes.users];
    for (const username of endedSessions) {
      const user = await tx.get("user", username);
      if (user !== undefined) endSessions(tx, username, user, context.nowMs());
    }
    return { from: revision, changes, lostKeys, endedSessions, revocations };
  };
  if (options.dryRun) return context.writer.rehearse(work);
  const report = await context.writer.write(work, BATCH_DEADLINE_MS);
  context.wakeMaintenance();
  return report;
}

/** Opens the secrets of access keys as far as the present keys do. */
export function openable({ secrets }: DirectoryContext) {
  return (accessKeyId: string, userId: string, sealed: string): string | undefined => {
    const binding = { kind: "access_key", accessKeyId, userId } as const;
    return secrets.opens(sealed, binding) ? secrets.open(sealed, binding) : undefined;
  };
}

/** Throws where nobody would be in the group who is active: an inactive user repairs nothing. */
function assertAdministrator(revision: number, past: DirectoryState, kept: readonly Revocation[]): void {
  const revoked = new Set(kept.filter(({ kind }) => kind.endsWith(" user")).map(({ name }) => name));
  if (hasAdministrator(past, revoked)) return;
  const message = hasAdministrator(past)
    ? `everybody who was in ${ADMINS} at revision ${revision} was deleted or made inactive since, and stays inactive: restoring it would leave no administrator (--forget-revocations makes them active)`
    : `at revision ${revision} nobody was in ${ADMINS}: restoring it would leave no administrator`;
  throw new AuthorizerError("invalid_request", message);
}

function hasAdministrator({ users }: DirectoryState, except: ReadonlySet<string> = new Set()): boolean {
  return users
    .entries()
    .some(
      ([name, { user, groups }]) => groups.has(ADMINS) && user.value.inactive !== true && !except.has(name),
    );
}
