/**
 * The place of a watch beside what calls of the same client read at other nodes (spec/journal §6). A node that does not
 * know yet that the directory went back answers from entries that are lost, and the watch, which was told before, would
 * say nothing any more: the caller would keep what it read there.
 */

import type { Revision } from "@svc-authorizer/policy/revision.ts";

/** An entry that a call read is to be told by the watch within this time; a node follows its database within a second. */
const BEHIND_MS = 1_500;

/** True for the same entry, or where none is known. */
export function isSameEntry(one: Revision | undefined, other: Revision | undefined): boolean {
  return one?.text === other?.text && one?.position === other?.position;
}

/** The entry that one watch was told last, and those that calls read ahead of it. */
export class WatchPlace {
  #told: Revision | undefined;
  /** The entry read ahead of the watch that it is to tell next, by the end of `#timer`. */
  #due: Revision | undefined;
  /** The newest entry read ahead of the watch. */
  #read: Revision | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDoubtful = false;
  #wake: () => void = () => {};

  /** The entry of the newest event; undefined before the first, and from a service that names none. */
  get told(): Revision | undefined {
    return this.#told;
  }

  /** Takes the entry of an event; undefined from a service that names none, which then says nothing about other reads. */
  tell(revision: Revision | undefined, isReset: boolean): void {
    this.#told = revision;
    const [due, read] = [this.#due, this.#read];
    if (isReset || revision === undefined) this.#isDoubtful = false;
    else if (due === undefined || isBefore(revision, due)) return;
    else if (!isSameEntry(due, revision)) this.#doubt();
    const isBehind = !isReset && revision !== undefined && read !== undefined && isBefore(revision, read);
    this.#expect(isBehind ? read : undefined);
  }

  /** Takes the entry that a call was answered from. */
  answered(revision: Revision): void {
    const told = this.#told;
    if (told === undefined || revision.position === undefined || isSameEntry(told, revision)) return;
    if (isBefore(revision, told)) return;
    this.#read = revision;
    if (this.#due === undefined) this.#expect(revision);
  }

  /** The service has lost what a call named: what was read from there is to be read anew. */
  lost(): void {
    this.#doubt();
  }

  /**
   * Resolves once everything must be read anew though no event says so. Where it is asked again, only the new promise
   * resolves.
   */
  doubtful(): Promise<void> {
    if (this.#isDoubtful) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends its timer. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #expect(due: Revision | undefined): void {
    clearTimeout(this.#timer);
    this.#due = due;
    this.#read = due;
    if (due !== undefined) this.#timer = setTimeout(() => this.#doubt(), BEHIND_MS);
  }

  #doubt(): void {
    // Who has been told of nothing is to read after the first event anyway.
    if (this.#told === undefined) return;
    this.#isDoubtful = true;
    this.#wake();
  }
}

function isBefore(one: Revision, other: Revision): boolean {
  return one.log === other.log && one.number < other.number;
}
