/**
 * Turns operations of the management API into routes. The order of checks is the reference's: authentication,
 * authorization, validation, existence.
 */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Author, JudgedState } from "../../directory/directory.ts";
import { routeOf } from "../../http/declaration.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Answer, type Api, type MountedRoute, mount, type RawCall } from "../../http/route.ts";
import type { AuditEvents } from "../rest/ports.ts";
import { auditedHandler } from "../rest/unknown-outcome.ts";
import type { ManagementCaller, UserCall, UserCaller } from "./call.ts";
import type {
  ManagementDeclaration,
  ManagementParts,
  OpenDeclaration,
  UserDeclaration,
} from "./declaration.ts";
import { managementError } from "./errors.ts";
import { refuseCrossSite } from "./login/cross-site.ts";
import { AuthenticationFailed, authenticate, isSecure, type Proof, proofOf } from "./login/proof.ts";
import { askedBy, requirePermission, requireSome } from "./permissions/permissions.ts";

/** Largest body of a call without credentials (log-in, set-up): a few short texts. */
const MAX_OPEN_BODY_BYTES = 8 << 10;

type Handle = (call: UserCall) => Answer | Promise<Answer>;

/** Parts with which operations are served. */
interface ServingParts {
  readonly parts: ManagementParts;
  /** Origins under which the listener is known. */
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
  readonly counters: HttpCounters;
}

/** Mounts the operations. */
export function mountManagement(
  serving: ServingParts,
  declarations: readonly ManagementDeclaration[],
): readonly MountedRoute[] {
  return declarations.flatMap((declaration) =>
    declaration.access === "open" ? mountOpen(serving, declaration) : mountUser(serving, declaration),
  );
}

function mountOpen(serving: ServingParts, declaration: OpenDeclaration): readonly MountedRoute[] {
  const { parts, counters } = serving;
  const api: Api<ManagementCaller> = {
    authenticate: (call) => ({ name: "", sourceIp: sourceOf(serving, call, undefined) }),
    refusal: refusalOf(serving, declaration.path, undefined),
  };
  const route = routeOf(declaration, parts, parts.limits);
  const { body } = route;
  if (body === undefined) return mount(api, [route], counters);
  const bounded = {
    ...body,
    maxBytes: Math.min(declaration.maxBytes ?? MAX_OPEN_BODY_BYTES, body.maxBytes),
    arrivesWithinMs: parts.limits.anonymousBodyTimeoutMs,
  };
  return mount(api, [{ ...route, body: bounded }], counters);
}

function mountUser(serving: ServingParts, declaration: UserDeclaration): readonly MountedRoute[] {
  const { parts, counters } = serving;
  const api: Api<UserCaller> = {
    authenticate: (call) => authenticatedUser(serving, call),
    refusal: refusalOf(serving, declaration.path, declaration.missing),
  };
  const route = routeOf(declaration, parts, parts.limits);
  const authorize = (call: UserCall) => requirePermission(parts, askedBy(declaration, call, parts), call);
  const isPermitted = declaration.access === "permitted";
  const authorOf = authorOfCalls(serving, isPermitted ? authorize : async () => {});
  const act: typeof route.handle = (call) =>
    parts.directory.actingFor(authorOf(call), async () => route.handle(call));
  const handle = declaration.auditsUnknown === true ? act : auditing(parts, declaration, act);
  const served = declaration.method === "GET" ? route.handle : handle;
  const acting = { ...route, handle: refusingUnknownParameters(declaration, served) };
  const { someOf } = declaration;
  if (someOf !== undefined) {
    const some = (call: UserCall) => requireSome(parts, someOf, call);
    return mount(api, [{ ...acting, authorize: some }], counters);
  }
  if (!isPermitted) return mount(api, [acting], counters);
  return mount(api, [{ ...acting, authorizesBody: declaration.values !== undefined, authorize }], counters);
}

/**
 * Operations that a data server has, too, pass over what they do not know. One of our own refuses it: a filter that is
 * misspelt would leave nothing out, in silence.
 */
function refusingUnknownParameters({ permission, query = [] }: UserDeclaration, handle: Handle): Handle {
  if (permission === undefined) return handle;
  const known = new Set(query.map(({ name }) => name));
  const message = `the query may have ${[...known].join(", ") || "no parameter"}`;
  return (call) => {
    if (!call.query.hasOnly(known)) throw new RequestRefused(400, message);
    return handle(call);
  };
}

/** Audits calls whose outcome is not known, beside what a handler does. */
function auditing(
  parts: ManagementParts,
  { id, path, names }: UserDeclaration,
  handle: Handle,
): (call: UserCall) => Promise<Answer> {
  const named = names && ((call: UserCall) => names(call, parts));
  return auditedHandler({ id, path, names: named, handle }, (call, operation, fields) =>
    parts.audit.wrote(call, operation, fields),
  );
}

/**
 * The author of the writes of a call. Whether the proof still holds and whether the caller may make the call is
 * found out again in the state of each write (spec/journal §2.1).
 */
function authorOfCalls(
  { parts: { identities } }: ServingParts,
  authorize: (call: UserCall) => Promise<void>,
): (call: UserCall) => Author {
  return (call) => {
    const { identity, sourceIp } = call.caller;
    const { username, userId, accessKeyId, tokenId } = identity;
    const of = {
      ...(accessKeyId !== undefined && { accessKeyId }),
      ...(tokenId !== undefined && { tokenId }),
    };
    const judge = async (state: JudgedState): Promise<void> => {
      const proof = proofOf(call.request);
      if (proof === undefined) throw new AuthenticationFailed();
      // What the two answers depend on is read, so that the write runs again if it changes before the commit.
      const principal = await state.principal(username);
      if (principal?.id !== userId) throw new AuthenticationFailed();
      await state.session(username, of).catch(ofInactive);
      const again = await authenticate(identities, proof, sourceIp);
      if (again.userId !== userId) throw new AuthenticationFailed();
      await authorize(call);
    };
    return { name: username, judge };
  };
}

/** A user who is inactive by now is not what the call did not find. */
function ofInactive(error: unknown): never {
  throw isErrorCode(error, "not_found") ? new AuthenticationFailed() : error;
}

async function authenticatedUser(serving: ServingParts, call: RawCall): Promise<UserCaller> {
  const proof = proofOf(call.request);
  const sourceIp = sourceOf(serving, call, proof);
  if (proof === undefined) throw new AuthenticationFailed();
  const identity = await authenticate(serving.parts.identities, proof, sourceIp);
  return { name: identity.username, sourceIp, identity };
}

/** The client's address of a call; throws 403 for a write of another site, 400 where the address is not known. */
function sourceOf(
  { parts: { proxies }, publicOrigins }: ServingParts,
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
  { audit, parts: { proxies } }: ServingParts,
  path: string,
  missing: string | undefined,
): Required<Api>["refusal"] {
  return (error, { request, requestId }) => {
    if (isErrorCode(error, "unauthenticated")) {
      const { accessKeyId: key, fields = {} } = error instanceof AuthenticationFailed ? error : {};
      const source = proxies.clientOf(request);
      audit.event("authentication_failed", {
        request_id: requestId,
        path,
        ...(source === undefined ? {} : { source_ip: source }),
        ...(key === undefined ? {} : { access_key_id: key }),
        ...fields,
      });
    }
    return managementError(error, missing);
  };
}
