/** The questions about records (spec/decision-log §3): which ones, and which part of them. */

/** Conditions on records, all of which hold. In a text, `*` stands for any characters and `?` for one. */
export interface RecordFilter {
  readonly subject?: string;
  readonly action?: string;
  /** ARN of the resource. */
  readonly resource?: string;
  /** `allow`, or `deny` for every refusal; `neutral` only for those that no statement denied. */
  readonly decision?: "allow" | "deny" | "neutral";
  /** Of audit records: the event. */
  readonly event?: string;
  /** A policy with a statement that decided. */
  readonly policy?: string;
  /** RFC 3339, inclusive. */
  readonly since?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
}

/** A part of the records, newest first. */
export interface RecordPageRequest {
  /** {@link RecordPage.next} of the page before. */
  readonly after?: string;
  /** At least 1. */
  readonly amount: number;
}

/** Records, newest first, as JSON texts. */
export interface RecordPage {
  readonly records: readonly string[];
  /** "" on the last page. */
  readonly next: string;
  /** The chains that were searched. */
  readonly chains: readonly string[];
  /** Number of decisions of the time of the filter that have no record, or none that can be read. */
  readonly lost: number;
}

/** Refusals that statements of a policy decided. */
export interface PolicyRefusals {
  /** null: no statement decided. */
  readonly policy: string | null;
  readonly count: number;
}

/** Records after a place, oldest first. */
export interface NewRecords {
  readonly records: readonly string[];
  /** The place after them. */
  readonly place: number;
  /** True if there may be more records after that place already. */
  readonly more: boolean;
}
