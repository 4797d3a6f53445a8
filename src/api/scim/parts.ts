/** Parts with which SCIM is served. */

import type { Provisioning } from "../../directory/provisioning.ts";
import type { Call, Reply } from "../../http/route.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import type { AuditEvents, AuditedFields } from "../rest/ports.ts";
import type { ServiceCaller } from "../service-caller.ts";
import type { Attributes } from "./read-values.ts";
import { SCIM_PATH } from "./schema/discovery.ts";
import { SCIM_TYPE } from "./scim-error.ts";
import type { Tolerance } from "./tolerance.ts";

/** Values of a list that are written in one go. */
const SLICE = 1_000;

/** Parts of the API. */
export interface ScimParts {
  readonly provisioning: Provisioning;
  readonly tolerance: Tolerance;
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
export async function scimReply(
  status: number,
  resource: Attributes,
  headers: readonly string[] = [],
): Promise<Reply> {
  return scimText(status, await jsonInTurns(resource), headers);
}

/** An answer with a JSON text. */
export function scimText(status: number, body: string, headers: readonly string[] = []): Reply {
  return { status, type: SCIM_TYPE, body, headers };
}

/** A resource as JSON. The members of a large group are written a slice at a time between other work. */
export async function jsonInTurns(resource: Attributes): Promise<string> {
  const members: string[] = [];
  const pause = bulkPause();
  for (const [name, value] of Object.entries(resource)) {
    if (Array.isArray(value) && value.length > SLICE) {
      const slices: string[] = [];
      for (let start = 0; start < value.length; start += SLICE) {
        slices.push(JSON.stringify(value.slice(start, start + SLICE)).slice(1, -1));
        await pause();
      }
      members.push(`${JSON.stringify(name)}:[${slices.join(",")}]`);
    } else if (value !== undefined) members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  return `{${members.join(",")}}`;
}

/** Audits a write that is committed, or whose outcome is not known: then the fields say so. */
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
