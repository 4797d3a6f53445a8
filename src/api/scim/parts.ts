/** Parts with which SCIM is served. */

import type { Provisioning } from "../../directory/provisioning.ts";
import type { Call, Reply } from "../../http/route.ts";
import type { AuditEvents, AuditedFields } from "../rest/ports.ts";
import type { ServiceCaller } from "../service-caller.ts";
import { SCIM_PATH } from "./schema/discovery.ts";
import { SCIM_TYPE } from "./scim-error.ts";

/** Parts of the API. */
export interface ScimParts {
  readonly provisioning: Provisioning;
  readonly audit: AuditEvents;
  /** URL of the listener as identity providers know it, without a slash at its end; undefined where it is not known. */
  readonly publicUrl: () => string | undefined;
}

/** A call of an identity provider. */
export type ScimCall = Call<ServiceCaller>;

/** The address under which resources are named: without a known URL, a path. */
export function baseOf({ publicUrl }: ScimParts): string {
  return `${publicUrl() ?? ""}${SCIM_PATH}`;
}

/** An answer with a resource. */
export function scimReply(status: number, body: unknown, headers: readonly string[] = []): Reply {
  return { status, type: SCIM_TYPE, body: JSON.stringify(body), headers };
}

/** Audits a write that is committed. */
export function wrote({ audit }: ScimParts, call: ScimCall, operation: string, fields: AuditedFields): void {
  const { caller, requestId, peer } = call;
  audit.event("write", {
    actor: caller.name,
    request_id: requestId,
    ...(peer !== undefined && { source_ip: peer }),
    operation,
    ...fields,
  });
}
