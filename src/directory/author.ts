/** The one on whose behalf a directory is written (spec/journal §2.1). */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Author, Judge } from "./directory.ts";

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
