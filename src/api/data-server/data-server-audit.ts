/** The audit log of the data-server API (spec/security §5.2): every write, every secret handed out. */

import type { RestCall } from "../rest/grants.ts";
import type { CallAudit } from "../rest/parts.ts";
import type { AuditEvents, AuditedFields } from "../rest/ports.ts";

/** Writes audit records about calls. */
export class DataServerAudit implements CallAudit {
  readonly #audit: AuditEvents;

  constructor(audit: AuditEvents) {
    this.#audit = audit;
  }

  /** A write that is committed, or whose outcome is not known: then the fields say so. */
  wrote(call: RestCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("write", { ...callerOf(call), operation, ...fields });
  }

  /** A secret that is handed out. */
  readSecret(call: RestCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("secret_read", { ...callerOf(call), operation, ...fields });
  }
}

function callerOf({ caller, requestId, peer }: RestCall): AuditedFields {
  return {
    actor: caller.name,
    request_id: requestId,
    ...(peer === undefined ? {} : { source_ip: peer }),
  };
}
