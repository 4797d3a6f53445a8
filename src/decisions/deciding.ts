/** One decision about a user who is at hand: outcome, explanation, counting, audit. */

import type { CompiledPolicies } from "../engine/compile.ts";
import { decide, type EngineRequest } from "../engine/decide.ts";
import { type ExplainedOutcome, explain } from "../engine/explain.ts";
import type { Explanation, Outcome } from "../model/decision.ts";
import type { Via } from "../model/policy.ts";
import type { CheckAnswer, DecisionAudit, DecisionCounters, Entrance } from "./decisions.ts";

/** Who asks, for records and counters. */
export interface Asker {
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly explain: boolean;
}

/** What a decision is made from. */
export interface Basis {
  readonly policies: CompiledPolicies;
  /** How a policy reaches the user. */
  readonly via: (policy: string) => readonly Via[];
  readonly cache: "hit" | "miss";
}

/** What {@link Deciding} needs. */
export interface DecidingOptions {
  readonly counters: DecisionCounters;
  readonly audit: DecisionAudit;
  readonly policiesVersion: string;
  readonly nextId: () => string;
  readonly now: () => Date;
}

/** Makes decisions and tells counters and audit log of them. */
export class Deciding {
  readonly #options: DecidingOptions;

  constructor(options: DecidingOptions) {
    this.#options = options;
  }

  /** Decides; an allow that nobody audits or explains makes no id. */
  check(basis: Basis, request: EngineRequest, asker: Asker): CheckAnswer {
    if (asker.explain) return this.#explained(basis, request, asker);
    const outcome = decide(basis.policies, request);
    this.#options.counters.decisions[asker.entrance][outcome.effect]++;
    const { decisions } = this.#options.audit;
    if (outcome.effect === "allow" && decisions !== "all") return outcome;
    return this.#recorded(outcome, request, asker);
  }

  /** The answer about a user who does not exist. */
  unknownUser(request: EngineRequest, asker: Asker): CheckAnswer {
    this.#options.counters.decisions[asker.entrance].neutral++;
    const outcome = { effect: "neutral", message: "insufficient permissions: unknown user" } as const;
    return { ...this.#recorded(outcome, request, asker), reason: "unknown_user" };
  }

  #recorded(outcome: Outcome, request: EngineRequest, asker: Asker): CheckAnswer & { readonly id: string } {
    const id = this.#options.nextId();
    const { audit } = this.#options;
    if (audit.decisions === "all" || (audit.decisions === "denied" && outcome.effect !== "allow")) {
      const { user, required } = request;
      const { entrance, requestId } = asker;
      audit.decision({ id, request_id: requestId, entrance, user, required, ...outcome });
    }
    return { ...outcome, id };
  }

  #explained(basis: Basis, request: EngineRequest, asker: Asker): CheckAnswer {
    const outcome = explain(basis.policies, request);
    this.#options.counters.decisions[asker.entrance][outcome.effect]++;
    const { effect, message } = outcome;
    const bare: Outcome = message === undefined ? { effect } : { effect, message };
    const recorded = this.#recorded(bare, request, asker);
    return { ...recorded, explanation: this.#explanation(recorded.id, outcome, basis) };
  }

  #explanation(id: string, outcome: ExplainedOutcome, { via, cache }: Basis): Explanation {
    return {
      id,
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via(one.policy) })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
      cache,
      policies_version: this.#options.policiesVersion,
      evaluated_at: this.#options.now().toISOString(),
    };
  }
}
