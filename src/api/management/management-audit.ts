/** The audit log of the management API (spec/security §5.2). */

import type { Identity } from "../../identity/identity.ts";
import type { CallAudit } from "../rest/parts.ts";
import type { AuditEventKind, AuditEvents, AuditedFields } from "../rest/ports.ts";
import type { OpenCall, UserCall } from "./call.ts";

/** Writes audit records about calls. */
export class ManagementAudit implements CallAudit {
  readonly #audit: AuditEvents;

  constructor(audit: AuditEvents) {
    this.#audit = audit;
  }

  /** A write that is committed, or whose outcome is not known: then the fields say so. */
  wrote(call: UserCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("write", { ...actorOf(call.caller.identity), ...originOf(call), operation, ...fields });
  }

  /** A secret that is handed out. */
  readSecret(call: UserCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("secret_read", {
      ...actorOf(call.caller.identity),
      ...originOf(call),
      operation,
      ...fields,
    });
  }

  /** A log-in or log-out, with further fields. */
  session(kind: "login" | "logout", identity: Identity, call: OpenCall, fields: AuditedFields = {}): void {
    this.#audit.event(kind, { ...actorOf(identity), ...originOf(call), ...fields });
  }

  /** An event without a user. */
  event(kind: AuditEventKind, actor: string, call: OpenCall, fields: AuditedFields): void {
    this.#audit.event(kind, { actor, ...originOf(call), ...fields });
  }
}

function actorOf({ username, how, accessKeyId }: Identity): AuditedFields {
  return { actor: username, how, ...(accessKeyId === undefined ? {} : { with_key: accessKeyId }) };
}

function originOf({ requestId, caller }: OpenCall): AuditedFields {
  return { request_id: requestId, source_ip: caller.sourceIp };
}
