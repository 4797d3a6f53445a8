/** The records of decisions as the management API needs them; `decision-log` and `compose` provide them. */

import type { ShadowReportsOfProcesses } from "../../../decisions/shadow/shadow-report.ts";

/** Conditions on records; see spec/decision-log §3.1. */
export interface RecordQuery {
  readonly subject?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly decision?: "allow" | "deny" | "neutral";
  readonly policy?: string;
  /** Of audit records: the event. */
  readonly event?: string;
  readonly since?: string;
  readonly until?: string;
}

/** A page of records, newest first, as JSON texts. */
interface FoundRecords {
  readonly records: readonly string[];
  /** "" on the last page. */
  readonly next: string;
  /** Chains that were searched: those of this node. */
  readonly chains: readonly string[];
  /** Number of decisions of that time that have no record, or none that can be read. */
  readonly lost: number;
}

/** Port: what a shadow candidate would change. */
export interface ShadowReports {
  /** Name of the node. */
  readonly node: string;
  /** One report of each process of this node that answers in time. */
  reports(): Promise<ShadowReportsOfProcesses>;
}

/** Records after a place, oldest first, as JSON texts. */
interface NewRecords {
  readonly records: readonly string[];
  /** The place after them. */
  readonly place: number;
  /** True if there may be more records after that place already. */
  readonly more: boolean;
}

/** Port: the records of the audit log of this node. */
export interface AuditRecords {
  /** Name of the node. */
  readonly node: string;
  page(query: RecordQuery, page: { readonly after?: string; readonly amount: number }): Promise<FoundRecords>;
  /** Returns a record as JSON text; undefined if there is none of that id. */
  get(id: string): Promise<string | undefined>;
  /** Returns records after a place, oldest first; without a place, only the place after the newest. */
  since(query: RecordQuery, place: number | undefined): Promise<NewRecords>;
  /** Filters of the question whose values records have masked, so that it does not find these; absent: none. */
  masked?(query: RecordQuery): readonly string[];
}

/** Port: the records of this node. */
export interface DecisionRecords extends AuditRecords {
  /** `authorizer.decision_log.include`: `denied`, `all`, or the share of allowed decisions that have a record. */
  readonly include: string;
  /**
   * Explains a record on the directory of its revision.
   * @throws AuthorizerError "not_found" if that is no longer kept, naming the revision from which on history is
   */
  explain(record: string): Promise<readonly unknown[]>;
}
