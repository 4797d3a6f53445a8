/**
 * How operations of the management API become routes. The order of checks is the reference's: authentication,
 * authorization, validation, existence.
 */

import { isErrorCode } from "../../errors.ts";
import type { TrustedProxies } from "../../http/client-address.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Api, type MountedRoute, mount, type RawCall } from "../../http/route.ts";
import type { Identities } from "../../identity/identity.ts";
import { BASE_PATH } from "../rest/operation.ts";
import type { AuditEvents } from "../rest/ports.ts";
import { refuseCrossSite } from "./cross-site.ts";
import { managementError } from "./errors.ts";
import type {
  ManagementCaller,
  ManagementOperation,
  OpenOperation,
  UserCaller,
  UserOperation,
} from "./operation.ts";
import { askedBy, type PermissionParts, requirePermission } from "./permissions.ts";
import { AuthenticationFailed, authenticate, isSecure, type Proof, proofOf } from "./proof.ts";

/** Largest body of a call without credentials (log-in, set-up): a few short texts. */
const MAX_OPEN_BODY_BYTES = 8 << 10;

/** What serving needs. */
export interface ServingParts extends PermissionParts {
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  /** Origins under which the listener is known. */
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
  readonly limits: HttpLimits;
}

/** Mounts the operations. */
export function mountManagement(
  parts: ServingParts,
  operations: readonly ManagementOperation[],
  counters: HttpCounters,
): readonly MountedRoute[] {
  return operations.flatMap((operation) =>
    operation.access === "open"
      ? mountOpen(parts, operation, counters)
      : mountUser(parts, operation, counters),
  );
}

function shared({ limits }: ServingParts, { method, path, takesBody }: ManagementOperation) {
  return {
    method,
    path: BASE_PATH + path,
    priority: "bulk",
    ...(takesBody ? { body: { maxBytes: limits.bodyBytes } } : {}),
  } as const;
}

function mountOpen(parts: ServingParts, operation: OpenOperation, counters: HttpCounters) {
  const api: Api<ManagementCaller> = {
    authenticate: (call) => ({ name: "", sourceIp: sourceOf(parts, call, undefined) }),
    refusal: refusalOf(parts, operation.path, undefined),
  };
  const body = {
    maxBytes: Math.min(MAX_OPEN_BODY_BYTES, parts.limits.bodyBytes),
    arrivesWithinMs: parts.limits.anonymousBodyTimeoutMs,
  };
  const route = {
    ...shared(parts, operation),
    ...(operation.takesBody ? { body } : {}),
    handle: operation.handle,
  };
  return mount(api, [route], counters);
}

function mountUser(parts: ServingParts, operation: UserOperation, counters: HttpCounters) {
  const api: Api<UserCaller> = {
    authenticate: (call) => authenticatedUser(parts, call),
    refusal: refusalOf(parts, operation.path, operation.missing),
  };
  const route = { ...shared(parts, operation), handle: operation.handle };
  if (operation.access === "user") return mount(api, [route], counters);
  const permitted = {
    ...route,
    authorizesBody: operation.values !== undefined,
    authorize: (call: RawCall<UserCaller>) => requirePermission(parts, askedBy(operation, call), call),
  };
  return mount(api, [permitted], counters);
}

async function authenticatedUser(parts: ServingParts, call: RawCall): Promise<UserCaller> {
  const proof = proofOf(call.request);
  const sourceIp = sourceOf(parts, call, proof);
  if (proof === undefined) throw new AuthenticationFailed();
  const identity = await authenticate(parts.identities, proof, sourceIp);
  return { name: identity.username, sourceIp, identity };
}

/** The client's address of a call; throws 403 for a write of another site, 400 where the address is not known. */
function sourceOf(
  { proxies, publicOrigins }: ServingParts,
  { request }: RawCall,
  proof: Proof | undefined,
): string {
  refuseCrossSite(request, {
    withCookie: proof?.kind === "token" && proof.fromCookie,
    secure: isSecure(request, proxies),
    publicOrigins,
  });
  const sourceIp = proxies.clientOf(request);
  // Without an address, conditions on it could not be evaluated, and an address-based deny would be skipped.
  if (sourceIp === undefined) throw new RequestRefused(400, "the address of the client cannot be determined");
  return sourceIp;
}

/** The answer to errors of an operation; failed authentications are audited. */
function refusalOf(
  { audit, proxies }: ServingParts,
  path: string,
  missing: string | undefined,
): Required<Api>["refusal"] {
  return (error, { request, requestId }) => {
    if (isErrorCode(error, "unauthenticated")) {
      const key = error instanceof AuthenticationFailed ? error.accessKeyId : undefined;
      const source = proxies.clientOf(request);
      audit.event("authentication_failed", {
        request_id: requestId,
        path: BASE_PATH + path,
        ...(source === undefined ? {} : { source_ip: source }),
        ...(key === undefined ? {} : { access_key_id: key }),
      });
    }
    return managementError(error, missing);
  };
}
