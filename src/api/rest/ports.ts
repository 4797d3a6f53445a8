/** Ports of both REST APIs; `observe` and `compose` implement them. */

/** Events that the APIs audit (spec/security §5.2). */
export type AuditEventKind =
  /** A change of users, groups, policies, attachments, credentials or principals. */
  | "write"
  | "login"
  | "logout"
  | "authentication_failed"
  /** A secret was handed out (a key created or read with its secret). */
  | "secret_read"
  | "setup";

/** The fields of an event: names of what was changed, and its state before and after, without secrets. */
export type AuditedFields = Readonly<Record<string, unknown>>;

/** Port: where events are audited. */
export interface AuditEvents {
  /**
   * Records an event at once and without waiting.
   * @param fields who (`actor`), what and from where (`request_id`, `source_ip`, …); secrets are replaced by name
   */
  event(kind: AuditEventKind, fields: AuditedFields): void;
}

/** Port: the log of an API. */
export interface WarningLog {
  /** Something valid that is almost certainly a mistake. Fields hold no secrets. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The policy set that decides: actions, resource types, preconfigured policies. */
export interface PolicySet {
  readonly version: string;
  readonly digest: string;
}

/** Port: identities of programs, which others vouch for. */
export interface IdentityFinder {
  /** Name of the way in which an identity request is verified, for the audit log and the sessions of users. */
  wayOf(identityRequest: unknown): string;
  /** The external principal of who signed an identity request; throws "invalid_request", "not_allowed", "unavailable". */
  principalOf(identityRequest: unknown, source: string): Promise<string>;
}
