/**
 * The highest revision that a client was given (journal.md §6): sent with each request, so that a balancer in front of
 * several nodes does not lead it back behind its own writes.
 */

const REVISION = /^(\d{1,15})\.([\w-]{8})$/;

/** Remembers the highest `X-Svc-Revision` of one service. */
export class HighestRevision {
  #number = -1;
  #log = "";

  /** `N.log`; undefined as long as none was given. */
  get text(): string | undefined {
    return this.#number < 0 ? undefined : `${this.#number}.${this.#log}`;
  }

  /** Takes the revision of an answer; null or a text of another form changes nothing. */
  take(header: string | null): void {
    const [, number, log = ""] = REVISION.exec(header ?? "") ?? [];
    if (number === undefined) return;
    const given = Number(number);
    if (log === this.#log && given <= this.#number) return;
    this.#number = given;
    this.#log = log;
  }

  /** Forgets it: the directory has another log now, as after it was set up anew. */
  forget(): void {
    this.#number = -1;
    this.#log = "";
  }
}
