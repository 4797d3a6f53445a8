/** Revokes again what a state that was put back has revived (spec/journal §4.11). */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { DirectoryContext } from "../context.ts";
import { EMPTY, expiryKey, type UserRecord, under } from "../records/layout.ts";
import { endSessions } from "../records/user-records.ts";
import { BATCH_DEADLINE_MS } from "../write/batches/apply-operations.ts";
import type { Transaction } from "../write/transaction.ts";
import { parseUserState, RENAMED, type RevokedState, stateOf } from "./revoked-records.ts";

/** Counts of what was revoked again. */
export interface HeldRevocations {
  readonly keys: number;
  readonly passwords: number;
  readonly principals: number;
  readonly claims: number;
  /** Users who are inactive now. */
  readonly users: number;
  /** Users whose sessions ended. */
  readonly sessions: number;
}

/**
 * Makes the directory keep revocations, in one commit.
 * @param endAll the sessions of all users end, not only those that had ended before
 */
export async function holdRevocations(
  context: DirectoryContext,
  revoked: readonly RevokedState[],
  endAll: boolean,
): Promise<HeldRevocations> {
  const held = await context.writer.write(async (tx) => {
    const holder = new Holder(context, tx);
    for (const one of revoked) await holder.hold(one);
    if (endAll) await holder.endAll();
    return holder.counts();
  }, BATCH_DEADLINE_MS);
  context.wakeMaintenance();
  return held;
}

class Holder {
  readonly #context: DirectoryContext;
  readonly #tx: Transaction;
  readonly #ended = new Set<string>();
  /** Names of users by internal id. */
  #names: ReadonlyMap<string, string> | undefined;
  #keys = 0;
  #passwords = 0;
  #principals = 0;
  #claims = 0;
  #users = 0;

  constructor(context: DirectoryContext, tx: Transaction) {
    this.#context = context;
    this.#tx = tx;
  }

  counts(): HeldRevocations {
    const [keys, passwords, principals] = [this.#keys, this.#passwords, this.#principals];
    const [claims, users] = [this.#claims, this.#users];
    return { keys, passwords, principals, claims, users, sessions: this.#ended.size };
  }

  async hold(one: RevokedState): Promise<void> {
    if (!isPossibleName(one.key)) return;
    if (one.partition === "key") await this.#key(one);
    else if (one.partition === "password") await this.#password(one);
    else if (one.partition === "principal") await this.#principal(one);
    else if (one.partition === "claim") await this.#claim(one);
    else if (one.partition === "user") await this.#user(one);
    else if (one.partition === RENAMED) await this.#renamed(one);
  }

  /** Ends the sessions of everybody. */
  async endAll(): Promise<void> {
    for await (const page of this.#tx.scanAll("user")) {
      // Not the record of the page: this transaction may have changed it.
      for (const { key } of page) {
        const user = await this.#tx.get("user", key);
        if (user !== undefined) this.#end(key, user);
      }
    }
  }

  async #key({ key, state }: RevokedState): Promise<void> {
    const record = await this.#tx.get("key", key);
    if (record === undefined || stateOf("key", JSON.stringify(record)) === state) return;
    this.#tx.delete("key", key);
    this.#tx.delete("user_key", under(record.id, key));
    this.#tx.changes.touch("user", record.id, record.username);
    this.#keys += 1;
  }

  /** An earlier password does not come back: its user asks for a new one. */
  async #password({ key, state }: RevokedState): Promise<void> {
    const record = await this.#tx.get("password", key);
    if (record === undefined || stateOf("password", JSON.stringify(record)) === state) return;
    this.#tx.delete("password", key);
    this.#passwords += 1;
  }

  async #principal({ key, state }: RevokedState): Promise<void> {
    const record = await this.#tx.get("principal", key);
    if (record === undefined || record.id === state) return;
    this.#tx.delete("principal", key);
    this.#tx.delete("user_principal", under(record.id, key));
    this.#tx.changes.touch("user", record.id, record.username);
    this.#principals += 1;
  }

  async #claim({ key, state }: RevokedState): Promise<void> {
    const expires = Number(state);
    if (!(expires > this.#context.now()) || (await this.#tx.get("claim", key)) !== undefined) return;
    this.#tx.put("claim", key, { expires_at: expires });
    this.#tx.put("claim_expiry", expiryKey(expires, key), EMPTY);
    this.#claims += 1;
  }

  async #user({ key, state }: RevokedState): Promise<void> {
    const record = await this.#tx.get("user", key);
    if (record === undefined) return;
    const now = state === null ? undefined : parseUserState(state);
    const isSame = now?.id === record.id;
    const isInactive = !isSame || now.inactive;
    if (isInactive && record.inactive !== true) {
      this.#end(key, { ...record, inactive: true });
      this.#users += 1;
    } else if (isSame && (record.sessions_valid_after ?? 0) < now.validAfter) this.#end(key, record);
  }

  /** A user who was renamed since has the former name again. */
  async #renamed({ key: id, ...one }: RevokedState): Promise<void> {
    this.#names ??= await this.#namesById();
    const username = this.#names.get(id);
    if (username !== undefined) await this.#user({ ...one, key: username });
  }

  async #namesById(): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for await (const page of this.#tx.scanAll("user"))
      for (const { key, record } of page) names.set(record.id, key);
    return names;
  }

  #end(username: string, record: UserRecord): void {
    if (this.#ended.has(username)) return;
    this.#ended.add(username);
    endSessions(this.#tx, username, record, this.#context.nowMs());
  }
}
