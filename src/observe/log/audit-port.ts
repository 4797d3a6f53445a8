/** Events of the audit log. Entrances import only these types. */

import type { LogFields } from "./redact.ts";

/** Events that are always audited (spec/security §5.2). */
export type AuditEventKind =
  /** A change of users, groups, policies, attachments, credentials, principals or data sets. */
  | "write"
  | "login"
  | "logout"
  | "authentication_failed"
  /** A secret was handed out (a key created or read with its secret). */
  | "secret_read"
  | "setup"
  | "key_rotation"
  | "restore"
  /** A branch of a mirror could not be changed. */
  | "promotion_failed"
  /** A segment of the decision log was closed. */
  | "decision_log_seal"
  /** A segment of the audit log's own chain was closed. */
  | "audit_log_seal"
  /** Data sets, tokens or certificates were read again. */
  | "reload";

/** Port: where events are audited. */
export interface AuditEvents {
  /**
   * Records an event at once and without waiting.
   * @param fields who (`actor`), what and from where (`request_id`, `source_ip`, …); secrets are replaced by name
   */
  event(kind: AuditEventKind, fields: LogFields): void;
}

/** Records that found no room, as plain numbers read when metrics are scraped. */
export interface AuditCounters {
  droppedDecisions: number;
  /** Always-audited events that neither the audit output nor the log took: should stay 0. */
  droppedEvents: number;
}
