/** The one way to record a decision: counters, counts of use, the log of decisions, the audit log, and the id. */

import type { EngineRequest } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type {
  DecidingPlace,
  DecidingStatements,
} from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import type { ConditionFields, Outcome } from "@svc-authorizer/policy/model/decision.ts";
import type { UserPolicies } from "../cached-principal.ts";
import type { AskedResource, AskingCall, DecisionBatch, DecisionLog } from "../decision-log.ts";
import type { DecisionAudit, DecisionCounters, DecisionRecord } from "../decisions.ts";
import type { Entrance } from "../entrances.ts";
import type { DecisionUsage, UserUse } from "../usage.ts";

/** A call that needs a decision: for records and counters. */
export interface RecordedCall {
  readonly entrance: Entrance;
  readonly requestId: string;
  /** The call, for the decision log; long work without a budget of its own ends when its caller is gone. */
  readonly call?: AskingCall;
  /** The subject and the only resource as they were asked for, for the decision log. */
  readonly subject?: { readonly type: string };
  readonly resource?: AskedResource;
  /** The record that the decision is a part of. */
  readonly batch?: DecisionBatch;
}

/** The question of a decision, for records. */
export interface RecordedQuestion extends Pick<DecisionRecord, "user" | "required" | "operation"> {
  readonly credential?: DecisionRecord["credential"] | undefined;
  readonly context: ConditionFields;
  /** See `contextOf` of `EngineRequest`. */
  readonly contextOf?: EngineRequest["contextOf"] | undefined;
  /** See `decidedBy` of `EngineRequest`. */
  readonly decidedBy?: DecidingStatements | undefined;
  /** The reason why nothing was evaluated. */
  readonly error?: string | undefined;
}

/** A recorded decision. */
interface Recorded {
  /** Undefined for an allow of which nothing is kept. */
  readonly id: string | undefined;
  /** Resolves when the record is on disk; undefined if the answer need not wait for it. */
  readonly written: Promise<void> | undefined;
}

/** A decision with an id. */
interface Kept extends Recorded {
  readonly id: string;
}

/** Options of {@link DecisionRecorder}. */
interface DecisionRecorderOptions {
  readonly counters: DecisionCounters;
  readonly audit: DecisionAudit;
  /** Absent if no decisions are logged. */
  readonly log?: DecisionLog | undefined;
  /** Absent if use is not counted. */
  readonly usage?: DecisionUsage | undefined;
  readonly nextId: () => string;
}

const NOT_KEPT: Recorded = { id: undefined, written: undefined };
const NO_STATEMENTS: readonly CompiledStatement[] = [];

/** Counts and records decisions. */
export class DecisionRecorder {
  /** True when every allow needs an id and a record. */
  readonly auditsAllows: boolean;
  /** True when every refusal needs a record. */
  readonly auditsRefusals: boolean;
  /** True when decisions are logged. */
  readonly logs: boolean;
  /** True when it has to be known which statements decide. */
  readonly notesStatements: boolean;
  /** A new id, for a decision of which nothing is kept. */
  readonly nextId: () => string;
  readonly #options: DecisionRecorderOptions;

  constructor(options: DecisionRecorderOptions) {
    const { audit, log, usage, nextId } = options;
    this.auditsAllows = audit.decisions === "all";
    this.auditsRefusals = audit.decisions !== "none";
    this.logs = log !== undefined;
    this.notesStatements = log !== undefined || usage !== undefined;
    this.nextId = nextId;
    this.#options = options;
  }

  /** The counts of a user; undefined where use is not counted, and for policies that are only tried. */
  useOf({ counted }: UserPolicies): UserUse | undefined {
    const { usage } = this.#options;
    if (usage === undefined || counted === undefined) return undefined;
    counted.use ??= usage.of(counted);
    return counted.use;
  }

  /**
   * Counts and records a decision. One that the log refuses is not audited: nobody gets its answer.
   * @param loaded absent if no policies were read
   * @param place of the statement that decided about one permission; else the question has the statements
   * @throws AuthorizerError "unavailable" if the log refuses it; `written` may reject with the same
   */
  record(
    outcome: Outcome,
    question: RecordedQuestion,
    call: RecordedCall,
    loaded?: UserPolicies,
    place?: DecidingPlace,
  ): Recorded {
    const { effect } = outcome;
    this.#options.counters.decisions[call.entrance][effect]++;
    if (loaded !== undefined) this.#countUse(question, loaded, place);
    if (effect === "allow" && !this.logs && !this.auditsAllows) return NOT_KEPT;
    const logged = this.#logged(outcome, question, call, loaded, place);
    if (effect === "allow" ? !this.auditsAllows : !this.auditsRefusals) return logged;
    const { id, written } = logged;
    const audit = () => this.#audit(id, outcome, question, call);
    if (written !== undefined) return { id, written: written.then(audit) };
    audit();
    return logged;
  }

  /** Records a refusal for which no policy was read: it counts as no decision and is not audited. */
  refused(question: RecordedQuestion, call: RecordedCall): Kept {
    return this.#logged({ effect: "neutral" }, question, call, undefined, undefined);
  }

  #countUse(
    { required, decidedBy }: RecordedQuestion,
    loaded: UserPolicies,
    place: DecidingPlace | undefined,
  ): void {
    const use = this.useOf(loaded);
    if (use === undefined) return;
    if (place !== undefined && required !== null && "action" in required)
      use.decidedOne(required.action, place);
    else use.decided(required, decidedBy?.all);
  }

  /** Adds a decision to the record that it is a part of, or gives it one of its own. */
  #logged(
    outcome: Outcome,
    question: RecordedQuestion,
    { entrance, requestId, call, subject, resource, batch }: RecordedCall,
    loaded: UserPolicies | undefined,
    place: DecidingPlace | undefined,
  ): Kept {
    const { log } = this.#options;
    const { user, required, operation, context, contextOf, error } = question;
    const subjectType = subject?.type;
    if (batch !== undefined && required !== null && "action" in required) {
      batch.about({ user, subjectType, action: required.action, loaded, context });
      const [statement] = statementsOf(question, loaded, place);
      batch.add(outcome, required.resource, resource, statement, error);
      return { id: batch.lastId() ?? this.nextId(), written: undefined };
    }
    const id = this.nextId();
    if (log?.wants(outcome.effect) !== true) return { id, written: undefined };
    const decidedBy = statementsOf(question, loaded, place);
    // Written out: to spread the question would cost as much as half of the decision.
    const written = log.decided({
      id,
      entrance,
      requestId,
      call,
      user,
      subjectType,
      loaded,
      required,
      resource,
      operation,
      context,
      contextOf,
      outcome,
      decidedBy,
      error,
    });
    return { id, written };
  }

  #audit(
    id: string,
    outcome: Outcome,
    { user, credential, required, operation }: RecordedQuestion,
    { entrance, requestId }: RecordedCall,
  ): void {
    this.#options.audit.decision({
      id,
      request_id: requestId,
      entrance,
      user,
      ...(credential === undefined ? {} : { credential }),
      ...(operation === undefined ? {} : { operation }),
      required,
      ...outcome,
    });
  }
}

/** The statements that decided, in evaluation order. */
function statementsOf(
  { decidedBy }: RecordedQuestion,
  loaded: UserPolicies | undefined,
  place: DecidingPlace | undefined,
): readonly CompiledStatement[] {
  if (place === undefined || loaded === undefined) return decidedBy?.all ?? NO_STATEMENTS;
  const statement = place.statementIn(loaded.policies);
  return statement === undefined ? NO_STATEMENTS : [statement];
}
