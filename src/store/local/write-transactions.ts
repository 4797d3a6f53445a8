/** Write transactions of the local store, with what is known of those under way. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { StoreLog } from "../store-log.ts";
import type { LocalDatabase } from "./local-database.ts";

/** Runs actions in write transactions of one database. */
export class WriteTransactions {
  readonly #database: LocalDatabase;
  readonly #log: StoreLog | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #inTurns = 0;
  #lastFailed = false;

  constructor(database: LocalDatabase, log: StoreLog | undefined) {
    this.#database = database;
    this.#log = log;
  }

  /** True while a transaction may be open in which other work runs. */
  get isOpenForOthers(): boolean {
    return this.#inTurns > 0;
  }

  /** True if the last one failed. */
  get lastFailed(): boolean {
    return this.#lastFailed;
  }

  /**
   * Runs `action` in a write transaction, which the library shares among all that come while one is being flushed
   * (group commit); each action sees what those before it did. Resolves when the transaction is durable.
   * @throws AuthorizerError "unavailable"
   */
  async run<T>(action: () => T | Promise<T>): Promise<T> {
    const transaction = this.#database.transaction(action) as Promise<T>;
    this.#underWay.add(transaction);
    try {
      const result = await transaction;
      this.#lastFailed = false;
      return result;
    } catch (error) {
      this.#lastFailed = true;
      this.#report(error);
      throw new AuthorizerError("unavailable", "The store cannot be written.", { cause: error });
    } finally {
      this.#underWay.delete(transaction);
    }
  }

  /** As {@link run}, for an action in which other work runs. */
  async runInTurns<T>(action: () => T | Promise<T>): Promise<T> {
    this.#inTurns += 1;
    try {
      return await this.run(action);
    } finally {
      this.#inTurns -= 1;
    }
  }

  /** Resolves when those under way are over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #report(error: unknown): void {
    this.#log?.error({ err: error }, "store write failed");
    // The library reports the reason in a second promise, whose rejection would end the process without a listener.
    const reason = (error as { commitError?: Promise<unknown> } | null)?.commitError;
    reason?.catch((err: unknown) => this.#log?.error({ err }, "reason of the failed store write"));
  }
}
