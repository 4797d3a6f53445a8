/** The records that entries after a revision wrote or removed. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { Turns } from "../../schedule/turns.ts";
import type { RecordName, Store } from "../../store/port.ts";

/** Reads entries once, and remembers the newest that wrote each record. */
export class WrittenSince {
  readonly #store: Store;
  readonly #newest = new Map<string, number>();
  #read: number;

  /** @param after only entries with higher revisions count */
  constructor(store: Store, after: number) {
    this.#store = store;
    this.#read = after;
  }

  /**
   * Reads the entries up to a revision.
   * @throws AuthorizerError "invalid_request" where one is no longer kept
   */
  async readTo(revision: number): Promise<void> {
    const turns = new Turns();
    while (this.#read < revision) {
      const next = this.#read + 1;
      const writes = await this.#store.history.writes(next);
      if (writes === undefined) {
        const message = `entry ${next} of the log is no longer kept: nobody can say what was changed since the loss`;
        throw new AuthorizerError("invalid_request", message);
      }
      for (const name of [...writes.put, ...writes.delete]) this.#newest.set(keyOf(name), next);
      this.#read = next;
      if (turns.spent) await turns.yield();
    }
  }

  /** The newest entry that wrote or removed a record; undefined: none did. */
  entryOf(name: RecordName): number | undefined {
    return this.#newest.get(keyOf(name));
  }
}

function keyOf({ partition, key }: RecordName): string {
  return `${partition}\0${key}`;
}
