/** Reports trouble of a node with its engine. */

import { isErrorCode } from "../errors.ts";
import type { StoreLog } from "../store/store-log.ts";
import { NothingDone } from "./engine.ts";

/** Tells each trouble once: every poll fails in the same way until somebody mends it. */
export class TroubleLog {
  readonly #log: StoreLog | undefined;
  #refusal: string | undefined;

  constructor(log: StoreLog | undefined) {
    this.#log = log;
  }

  /** @param hadContact whether the call before succeeded */
  tell(error: unknown, hadContact: boolean): void {
    if (error instanceof NothingDone || isErrorCode(error, "unavailable")) {
      const { message } = error as Error;
      if (hadContact || message !== this.#refusal) this.#log?.error({ err: error }, "the database refused");
      this.#refusal = message;
    } else if (hadContact) {
      this.#log?.error({ err: error }, "the database cannot be reached; it is tried again");
    }
  }
}
