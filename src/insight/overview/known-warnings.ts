/** The warnings of a directory, found again when it has changed, and not too often. */

import {
  type DirectoryWarnings,
  findWarnings,
  type KnownDoubts,
  type WarningParts,
} from "./directory-warnings.ts";
import { waitShortly } from "./short-wait.ts";

/** Time between two searches at least, and after which the same state is looked at again, as keys grow older. */
const LEAST_MS = 30_000;
const MOST_MS = 60 * 60 * 1_000;

/** Finds them in the background. */
export class KnownWarnings {
  readonly #parts: WarningParts;
  readonly #revision: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #doubts: KnownDoubts = new Map();
  readonly #ending = new AbortController();
  #found: DirectoryWarnings | undefined;
  #began = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  /**
   * @param revision returns the newest revision of the directory
   * @param onError is told why a search failed; it is tried again later
   */
  constructor(parts: WarningParts, revision: () => number, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#revision = revision;
    this.#onError = onError;
  }

  /** The newest findings, which may be of an earlier revision; undefined if the first search takes long. */
  async get(): Promise<DirectoryWarnings | undefined> {
    if (this.#isDue()) this.#running = this.#find();
    if (this.#found === undefined && this.#running !== undefined) await waitShortly(this.#running);
    return this.#found;
  }

  /** Ends a search under way. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("the service stops"));
    await this.#running;
  }

  #isDue(): boolean {
    if (this.#running !== undefined || this.#ending.signal.aborted) return false;
    const age = performance.now() - this.#began;
    return age > (this.#found?.revision === this.#revision() ? MOST_MS : LEAST_MS);
  }

  async #find(): Promise<void> {
    this.#began = performance.now();
    try {
      this.#found = await findWarnings(this.#parts, this.#doubts, this.#ending.signal);
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#onError(error);
    }
    this.#running = undefined;
  }
}
