/**
 * On whose behalf a directory is written (journal.md §2.1). The author's name is kept with the entries, and the right to
 * a write is judged in the state of each attempt, so that no entry exists whose author had lost it in an earlier one.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Principal, Session } from "./directory.ts";

/** The state that a write runs on. Whatever is read of it may not change before the commit, else the write runs again. */
export interface JudgedState {
  /** The user with its effective policies, or undefined if there is no such user. */
  principal(username: string): Promise<Principal | undefined>;
  /** As `sessions.get` of the directory. */
  session(
    username: string,
    of?: { readonly accessKeyId?: string; readonly tokenId?: string },
  ): Promise<Session>;
}

/** Throws where the author may not make the write in this state. Caches have heard of all that it has. */
export type Judge = (state: JudgedState) => Promise<void>;

/** Somebody for whom writes are made. */
export interface Author {
  /** Name for the log. */
  readonly name: string;
  readonly judge?: Judge;
}

/** Knows for whom the work that runs is done. */
export class Authors {
  readonly #current = new AsyncLocalStorage<{ readonly name?: string; readonly judges: readonly Judge[] }>();

  /** Runs work for somebody; what was judged before goes on being judged. */
  actingFor<T>({ name, judge }: Author, work: () => Promise<T>): Promise<T> {
    const judges = [...this.judges, ...(judge === undefined ? [] : [judge])];
    return this.#current.run({ name, judges }, work);
  }

  /** Runs work whose writes one more judge has to let pass. */
  alsoJudged<T>(judge: Judge, work: () => Promise<T>): Promise<T> {
    const { name, judges } = this.#current.getStore() ?? { judges: [] };
    return this.#current.run({ ...(name !== undefined && { name }), judges: [...judges, judge] }, work);
  }

  /** Name of the one for whom the work that runs is done, if any. */
  get name(): string | undefined {
    return this.#current.getStore()?.name;
  }

  get judges(): readonly Judge[] {
    return this.#current.getStore()?.judges ?? [];
  }
}
