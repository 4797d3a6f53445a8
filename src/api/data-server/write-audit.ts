/** What the data-server API leaves in the audit log (security.md §5.2): every write, every secret handed out. */

import type { AuditEvents, AuditedFields } from "../rest/ports.ts";
import type { ServiceCall } from "../service-caller.ts";

/** Writes audit records about calls. */
export class CallAudit {
  readonly #audit: AuditEvents;

  constructor(audit: AuditEvents) {
    this.#audit = audit;
  }

  /** A write that is committed. */
  wrote(call: ServiceCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("write", { ...callerOf(call), operation, ...fields });
  }

  /** A secret that is handed out. */
  readSecret(call: ServiceCall, operation: string, fields: AuditedFields): void {
    this.#audit.event("secret_read", { ...callerOf(call), operation, ...fields });
  }
}

function callerOf({ caller, requestId, peer }: ServiceCall): AuditedFields {
  return {
    actor: caller.name,
    request_id: requestId,
    ...(peer === undefined ? {} : { source_ip: peer }),
  };
}
