/**
 * Compares grants in a thread. The comparison is exact, and hostile policies can make it need any time and memory. So
 * the thread has limits for both, and no other request waits for it (spec/security §5.3).
 */

import type { ExcessRight, Grant } from "@svc-authorizer/policy/analysis/compare/grant.ts";
import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { BoundedThread, GIVEN_UP } from "./bounded-thread.ts";
import type { GrantResult } from "./grant-worker.ts";
import { isLarge, plainPolicy } from "./sent-policies.ts";

/** Settings of {@link GrantComparisons}. */
interface ComparisonLimits {
  readonly partition: string;
  /** Makes examples readable. */
  readonly vocabulary: Pick<Vocabulary, "actions" | "resourceTypes">;
  /** Milliseconds that one comparison may take; default 2,000. Usual ones take one or two. */
  readonly patience?: number;
}

const PATIENCE_MS = 2_000;
const MEMORY_MB = 96;
const UNKNOWN: ExcessRight = { what: "comparing them takes too long", certain: false };

/** Compares one grant at a time, those of different givers in turn. */
export class GrantComparisons {
  readonly #patience: number;
  readonly #thread: BoundedThread<Grant, GrantResult>;

  constructor({
    partition,
    vocabulary: { actions, resourceTypes },
    patience = PATIENCE_MS,
  }: ComparisonLimits) {
    this.#patience = patience;
    this.#thread = new BoundedThread({
      name: "comparison of grants",
      file: "grant-worker",
      data: { partition, vocabulary: { actions, resourceTypes } },
      memoryMb: MEMORY_MB,
      busy: "too many grants are compared at once, try again",
    });
  }

  /**
   * The right that the grant gives beyond those of its giver; not certain if the comparison took too long.
   * @throws AuthorizerError "unavailable" if too many comparisons wait
   */
  async excessRight(grant: Grant): Promise<ExcessRight | undefined> {
    if (isLarge([...grant.held, ...grant.granted])) return UNKNOWN;
    const found = await this.#thread.run(grant.giver, plain(grant), this.#patience);
    return found === GIVEN_UP ? UNKNOWN : found;
  }

  /** Ends the thread and refuses the comparisons that wait. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The grant with only the fields that the thread needs and that can be sent to it. */
function plain({ giver, held, granted, actsAs }: Grant): Grant {
  return { giver, held: held.map(plainPolicy), granted: granted.map(plainPolicy), actsAs };
}
