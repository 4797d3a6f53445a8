/** Reports trouble of a node with its engine. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { StoreLog } from "../store/store-log.ts";
import { LogMissing } from "./copy-condition.ts";
import { NothingDone } from "./engine.ts";
import { TroubleState } from "./trouble-state.ts";

/** Tells each trouble once: every poll fails in the same way until somebody mends it. */
export class TroubleLog {
  readonly state: TroubleState;
  readonly #log: StoreLog | undefined;
  #refusal: string | undefined;

  /** @param now Unix milliseconds */
  constructor(log: StoreLog | undefined, now: () => number = Date.now) {
    this.#log = log;
    this.state = new TroubleState(now);
  }

  /**
   * @param hadContact whether the call before succeeded
   * @param stopsAt Unix milliseconds from which on nothing is answered
   */
  tell(error: unknown, hadContact: boolean, stopsAt = Number.NaN): void {
    this.state.failed(error);
    if (error instanceof LogMissing) {
      if (error.message !== this.#refusal) {
        const fields = Number.isNaN(stopsAt) ? {} : { stops_at: new Date(stopsAt).toISOString() };
        this.#log?.error(
          { err: error, ...fields },
          "the log is missing in the database: this node keeps its copy, answers from it until it is too old, and changes nothing",
        );
      }
      this.#refusal = error.message;
    } else if (error instanceof NothingDone || isErrorCode(error, "unavailable")) {
      const { message } = error as Error;
      if (hadContact || message !== this.#refusal) this.#log?.error({ err: error }, "the database refused");
      this.#refusal = message;
    } else if (hadContact) {
      this.#log?.error({ err: error }, "the database cannot be reached; it is tried again");
    }
  }
}
