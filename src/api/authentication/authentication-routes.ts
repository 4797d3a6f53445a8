/**
 * The authentication API of a data server (spec/sign-in §3): what it asks for clients of its own. It sends no credential: only
 * peers that the configuration names are answered.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { Described } from "../../http/openapi/document.ts";
import type { Schemas } from "../../http/openapi/openapi-types.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { plainAddress, type TrustedProxies } from "../../http/request/client-address.ts";
import {
  type Api,
  type Caller,
  type MountedRoute,
  mount,
  type RawCall,
  type Reply,
} from "../../http/route.ts";
import { object, schemaRef, text } from "../../http/schema/schema-forms.ts";
import type { PasswordSignIn } from "../../sign-in/password-sign-in.ts";
import { identityRefused } from "../rest/identity-refused.ts";
import { NO_STORE } from "../rest/operation.ts";
import type { AuditEvents, IdentityFinder } from "../rest/ports.ts";
import { REMOTE_LOGIN_OPERATION, REMOTE_LOGIN_SCHEMAS, refuseOwn, remoteLogin } from "./remote-login.ts";
import { type CodeExchange, STS_LOGIN_OPERATION, STS_LOGIN_SCHEMAS, stsLogin } from "./sts-login.ts";

/** The path of the API: what a data server has as `auth.authentication_api.endpoint`, behind this listener's address. */
const AUTHENTICATION_PATH = "/authentication/v1";
const PRINCIPAL_LOGIN = `${AUTHENTICATION_PATH}/auth/external/principal/login`;
const HEALTH = `${AUTHENTICATION_PATH}/healthcheck`;

/** An identity request and the base64 of it. */
const MAX_BYTES = 128 << 10;

/** The refusal where nobody vouches for a program. */
const NO_IDENTITIES =
  "neither authorizer.aws_iam.enabled nor auth.authentication_api.external_principals_enabled, with the address of another server, is configured";

/** Options of the API. */
export interface AuthenticationOptions {
  /** undefined: no program has an external principal. */
  readonly principals: IdentityFinder | undefined;
  /** undefined: no codes of clients are exchanged. */
  readonly codes: CodeExchange | undefined;
  /** undefined: no way to sign in takes a password. */
  readonly passwords: PasswordSignIn | undefined;
  /** Peers that are answered: of the socket, whatever a header says. */
  readonly trusted: TrustedProxies;
  readonly audit: AuditEvents;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const TAG = { tag: "authentication" } as const;

/** The operations, as the OpenAPI document describes them. */
export const AUTHENTICATION_OPERATIONS: readonly Described[] = [
  {
    ...TAG,
    method: "POST",
    path: PRINCIPAL_LOGIN,
    id: "externalPrincipalLogin",
    summary: "Find the external principal of a program's identity",
    description: "For data servers of `authorizer.authentication_api.trusted_servers`.",
    body: { schema: schemaRef("IdentityRequest"), example: { identity_token: "eyJtZXRob2QiOiJQT1NUIn0=" } },
    answer: {
      status: 200,
      description: "The principal; the data server then asks for its user.",
      schema: schemaRef("PrincipalId"),
      example: { id: "arn:aws:sts::123456789012:assumed-role/Jobs" },
    },
    errors: [400, 403, 413, 415, 500, 501, 503],
  },
  STS_LOGIN_OPERATION,
  REMOTE_LOGIN_OPERATION,
  {
    ...TAG,
    method: "GET",
    path: HEALTH,
    id: "authenticationHealth",
    summary: "Whether the authentication API answers this peer",
    description: "For data servers of `authorizer.authentication_api.trusted_servers`.",
    answer: { status: 204, description: "It does." },
    errors: [403, 500, 503],
  },
];

/** Schemas of the operations. */
export const AUTHENTICATION_SCHEMAS: Schemas = {
  IdentityRequest: object({ identity_token: text("Base64 of the parts of a pre-signed GetCallerIdentity.") }),
  ...STS_LOGIN_SCHEMAS,
  ...REMOTE_LOGIN_SCHEMAS,
  PrincipalId: object({ id: text("Id of the external principal.") }),
};

/** The routes. */
export function authenticationRoutes(
  options: AuthenticationOptions,
  counters: HttpCounters,
): readonly MountedRoute[] {
  const api: Api = { authenticate: (call) => trustedPeer(options, call) };
  return mount(
    api,
    [
      { method: "GET", path: HEALTH, handle: () => ({ status: 204 }) },
      {
        method: "POST",
        path: PRINCIPAL_LOGIN,
        priority: "bulk",
        reads: true,
        body: { maxBytes: MAX_BYTES, arrivesWithinMs: options.limits.anonymousBodyTimeoutMs },
        handle: (call) => login(options, call),
      },
      {
        method: "POST",
        path: STS_LOGIN_OPERATION.path,
        priority: "bulk",
        reads: true,
        body: { maxBytes: MAX_BYTES, arrivesWithinMs: options.limits.anonymousBodyTimeoutMs },
        handle: (call) => stsLogin(options, call),
      },
      {
        method: "POST",
        path: REMOTE_LOGIN_OPERATION.path,
        priority: "bulk",
        reads: true,
        body: { maxBytes: MAX_BYTES, arrivesWithinMs: options.limits.anonymousBodyTimeoutMs },
        handle: (call) => remoteLogin(options, call),
      },
    ],
    counters,
  );
}

function trustedPeer({ trusted }: AuthenticationOptions, { peer }: RawCall): Caller {
  if (trusted.has(peer)) return { name: plainAddress(peer ?? "") };
  throw new AuthorizerError(
    "not_allowed",
    "this address is not one of authorizer.authentication_api.trusted_servers",
  );
}

async function login({ principals, audit }: AuthenticationOptions, call: RawCall): Promise<Reply> {
  if (principals === undefined) throw new RequestRefused(501, NO_IDENTITIES);
  refuseOwn(call);
  const origin = {
    request_id: call.requestId,
    source_ip: call.caller.name,
    how: principals.wayOf(call.body),
    path: PRINCIPAL_LOGIN,
  };
  const principal = await identityRefused(
    () => principals.principalOf(call.body, call.caller.name),
    (reason) => audit.event("authentication_failed", { ...origin, reason }),
  );
  audit.event("login", { actor: principal, ...origin, principal });
  return { status: 200, body: JSON.stringify({ id: principal }), headers: NO_STORE };
}
