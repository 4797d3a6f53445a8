/** Judges the right of authors to their writes (spec/journal §2.1). */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../../store/port.ts";
import type { Authors } from "../author.ts";
import type { JudgedState } from "../directory.ts";
import { PrincipalReader } from "../read/principals.ts";
import { requireGroup } from "../records/group-records.ts";
import { requirePolicy, toPolicy } from "../records/policy-records.ts";
import { requireUser, toUser } from "../records/user-records.ts";
import { readSession } from "./sessions.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Returns the judge of all transactions: it throws where those who judge the author's writes refuse this one.
 * @param now Unix seconds
 */
export function judgeOf(
  store: Store,
  authors: Authors,
  now: () => number,
): (tx: Transaction) => Promise<void> {
  return async (tx) => {
    const { judges } = authors;
    if (judges.length === 0) return;
    // A judge asks caches, which must not be older than the state that is judged.
    store.follow?.();
    while (store.history.head.revision < tx.revision) await nextTurn();
    const state = judgedStateOf(tx, now);
    for (const judge of judges) await judge(state);
  };
}

/**
 * Returns the state of a transaction as judges read it.
 * @param now Unix seconds
 */
export function judgedStateOf(tx: Transaction, now: () => number): JudgedState {
  return {
    principal: (username) => new PrincipalReader(tx).read(username),
    user: async (username) => toUser(username, await requireUser(tx, username)),
    principalOnceActive: (username) => new PrincipalReader(tx).read(username, { onceActive: true }),
    policy: async (name) => toPolicy(name, await requirePolicy(tx, name)),
    groupPolicies: async (name) => {
      const { id } = await requireGroup(tx, name);
      return new PrincipalReader(tx).ofGroup({ id, name });
    },
    session: (username, of) => readSession(tx, username, of, now()),
  };
}
