/** Learns from use in a thread with limits of time and memory. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { BoundedThread, GIVEN_UP } from "../../threads/bounded-thread.ts";
import type { AccessJob, AccessResult, AccessThreadData } from "./access-jobs.ts";

/** Milliseconds of one job. */
const PATIENCE_MS = 60_000;
const MEMORY_MB = 1_024;

/** Does jobs, one after the other. */
export class AccessThread {
  readonly #thread: BoundedThread<AccessJob, AccessResult>;

  constructor(data: AccessThreadData) {
    this.#thread = new BoundedThread({
      name: "learning from use",
      file: new URL("./access-worker", import.meta.url),
      data,
      memoryMb: MEMORY_MB,
      busy: "too many questions about access wait, try again",
    });
  }

  /**
   * Returns the body of the answer.
   * @param signal aborted when the caller is gone: the job ends
   * @throws AuthorizerError "invalid_request" where the question has no answer, or needs more time or memory than there
   * is, "unavailable" where too many questions wait, in all or of the caller
   */
  async run(caller: string, job: AccessJob, signal: AbortSignal | undefined): Promise<string> {
    const result = await this.#thread.run(caller, job, PATIENCE_MS, signal);
    if (result === GIVEN_UP) {
      const message = "this needs more time or memory than the service gives to it; ask about less";
      throw new AuthorizerError("invalid_request", message);
    }
    if ("refused" in result) throw new AuthorizerError("invalid_request", result.refused);
    return result.body;
  }

  /** Ends the thread and refuses the questions that wait. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
