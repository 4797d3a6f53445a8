/** The one on whose behalf a directory is written (spec/journal §2.1). */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Beside } from "./beside.ts";
import type { Author, Judge } from "./directory.ts";

/** The surroundings of work. */
interface Current {
  readonly name?: string;
  readonly judges: readonly Judge[];
  readonly beside?: Beside;
}

/** Knows for whom the work that runs is done. */
export class Authors {
  readonly #current = new AsyncLocalStorage<Current>();

  /** Runs work for somebody; what was judged before goes on being judged. */
  actingFor<T>({ name, judge }: Author, work: () => Promise<T>): Promise<T> {
    const judges = [...this.judges, ...(judge === undefined ? [] : [judge])];
    return this.#current.run({ ...this.#current.getStore(), name, judges }, work);
  }

  /** Runs work whose writes one more judge has to let pass. */
  alsoJudged<T>(judge: Judge, work: () => Promise<T>): Promise<T> {
    return this.#current.run({ ...this.#current.getStore(), judges: [...this.judges, judge] }, work);
  }

  /** Runs work whose one write has other records beside its own. */
  writingBeside<T>(beside: Beside, work: () => Promise<T>): Promise<T> {
    return this.#current.run({ ...this.#current.getStore(), judges: this.judges, beside }, work);
  }

  /** Name of the one for whom the work that runs is done, if any. */
  get name(): string | undefined {
    return this.#current.getStore()?.name;
  }

  get judges(): readonly Judge[] {
    return this.#current.getStore()?.judges ?? [];
  }

  get beside(): Beside | undefined {
    return this.#current.getStore()?.beside;
  }
}
