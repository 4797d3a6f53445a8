/**
 * Remembers which login tokens were issued, behind the answers: nobody waits for it, and no sign-in fails by it. A token that
 * could not be noted is in no list, which is told, and ends with all sessions of its user.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Directory } from "../directory/directory.ts";

type Notes = Pick<Directory["issuedSessions"], "note">;
type NotedSession = Parameters<Notes["note"]>[0][number];

/** Most that wait for a store that is slow or away. */
const MOST_WAITING = 1_000;
/** Most in one commit. */
const MOST_AT_ONCE = 100;

/** Writes notes, many in one commit. */
export class IssuedNotes {
  readonly #sessions: Notes;
  readonly #onLost: (sessions: number) => void;
  /** Nobody in whose name a call writes is the author of notes. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #waiting: NotedSession[] = [];
  #writing: Promise<void> | undefined;

  /** @param onLost told how many sessions could not be noted */
  constructor(sessions: Notes, onLost: (sessions: number) => void) {
    this.#sessions = sessions;
    this.#onLost = onLost;
  }

  /** Notes a session soon. */
  add(session: NotedSession): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(session);
    else this.#onLost(1);
    this.#writing ??= this.#outside(() => this.#write());
  }

  /** Resolves when what waits is noted, or lost. */
  async done(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // Sign-ins of the same moment share a commit.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const next = this.#waiting.slice(0, MOST_AT_ONCE);
      this.#waiting = this.#waiting.slice(MOST_AT_ONCE);
      await this.#sessions.note(next).catch(() => this.#onLost(next.length));
    }
    this.#writing = undefined;
  }
}
