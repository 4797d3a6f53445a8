/**
 * Checks and compares policies for people who edit them, in a thread of its own: a job that takes any time delays
 * neither requests nor the writes that {@link GrantComparisons} judges (spec/security §5.3).
 */

import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { BoundedThread, type GIVEN_UP } from "./bounded-thread.ts";
import type { PolicyJob, PolicyResults } from "./policy-jobs.ts";
import type { PolicyResult } from "./policy-worker.ts";

const MEMORY_MB = 96;

/** Does jobs of different callers in turn. */
export class PolicyThread {
  readonly #thread: BoundedThread<PolicyJob, PolicyResult>;

  constructor({ partition, actions, resourceTypes }: Vocabulary) {
    this.#thread = new BoundedThread({
      name: "checks of policies",
      file: "policy-worker",
      data: { partition, actions, resourceTypes },
      memoryMb: MEMORY_MB,
      busy: "too many policies are checked at once, try again",
    });
  }

  /**
   * Returns the result of a job, or {@link GIVEN_UP}.
   * @param patience milliseconds of CPU that it may take
   * @throws AuthorizerError "unavailable" if too many jobs wait
   */
  run<J extends PolicyJob>(
    caller: string,
    job: J,
    patience: number,
  ): Promise<PolicyResults[J["kind"]] | typeof GIVEN_UP> {
    return this.#thread.run(caller, job, patience) as Promise<PolicyResults[J["kind"]] | typeof GIVEN_UP>;
  }

  /** Ends the thread and refuses the jobs that wait. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
