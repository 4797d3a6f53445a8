/** `/oauth2/*`: how programs get login tokens (RFC 6749; spec/sign-in §1). */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { formBody } from "../../../http/body/form-body.ts";
import type { HttpLimits } from "../../../http/limits.ts";
import type { Described } from "../../../http/openapi/document.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import { addressBlock } from "../../../http/request/client-address.ts";
import type { Query } from "../../../http/request/query.ts";
import {
  ANONYMOUS,
  type Api,
  type MountedRoute,
  mount,
  type RawCall,
  type Reply,
} from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { DeviceRequests } from "../../../sign-in/device-requests.ts";
import type { SignIn } from "../../../sign-in/sign-in.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import { OAuthRefused, oauthRefusal, oauthReply } from "./oauth-answers.ts";
import { EXCHANGE_GRANT, type ExchangeParts, exchangeToken } from "./token-exchange.ts";

const DEVICE_AUTHORIZATION = "/oauth2/device_authorization";
const TOKEN = "/oauth2/token";
/** The one client of the device grant. */
const CLIENT = "svcctl";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const MAX_FORM_BYTES = 64 << 10;
/** Seconds between two questions of a program. */
const INTERVAL = 2;
const MOST_POLLED = 1_000;
/** More than any device code has. */
const LONGEST_CODE = 128;
const HOST = /^[\w.-]{0,100}$/;

/** Parts of the routes. */
interface OAuthParts extends ExchangeParts {
  readonly devices: DeviceRequests;
  readonly signIn: SignIn | undefined;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const FORM = "application/x-www-form-urlencoded";
const REFUSALS = {
  400: {
    description: "The grant does not hold, or not yet: `error` says which (RFC 6749, section 5.2).",
    content: { "application/json": { schema: schemaRef("OAuthError") } },
  },
  default: {
    description: "Another error.",
    content: { "application/json": { schema: schemaRef("OAuthError") } },
  },
};

/** The operations, as the OpenAPI document describes them. */
export const OAUTH_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    access: "open",
    method: "POST",
    path: DEVICE_AUTHORIZATION,
    id: "authorizeDevice",
    tag: "sessions",
    summary: "Begin to sign in a program",
    description: "Gives a code that a person types at `/device` within ten minutes (RFC 8628).",
    body: { type: FORM, schema: schemaRef("DeviceAuthorizationForm"), example: { client_id: CLIENT } },
    answer: {
      status: 200,
      description: "The codes.",
      schema: schemaRef("DeviceAuthorization"),
      example: {
        device_code: "1790000000.c2VjcmV0",
        user_code: "BCDF-GHJK",
        verification_uri: "https://authz.example.com/device",
        expires_in: 600,
        interval: INTERVAL,
      },
      headers: NO_STORE_HEADER,
    },
    failures: REFUSALS,
  },
  {
    access: "open",
    method: "POST",
    path: TOKEN,
    id: "getToken",
    tag: "sessions",
    summary: "Get a login token for a grant",
    description:
      "For a device code that a person confirmed (RFC 8628), or for a token of an identity provider whose issuer has `required_claims` (RFC 8693).",
    body: {
      type: FORM,
      schema: schemaRef("TokenForm"),
      example: { grant_type: DEVICE_GRANT, client_id: CLIENT, device_code: "1790000000.c2VjcmV0" },
    },
    answer: {
      status: 200,
      description: "The login token.",
      schema: schemaRef("OAuthToken"),
      example: { access_token: "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", token_type: "Bearer", expires_in: 604_800 },
      headers: NO_STORE_HEADER,
    },
    failures: REFUSALS,
  },
];

/** The routes. */
export function oauthRoutes(parts: OAuthParts, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = { authenticate: () => ANONYMOUS, refusal: oauthRefusal };
  const polled = new LRUCache<string, number>({ max: MOST_POLLED });
  const route = (path: string, handle: (call: RawCall, form: Query) => Promise<Reply>) => ({
    method: "POST" as const,
    path,
    priority: "bulk" as const,
    body: formBody(MAX_FORM_BYTES, parts.limits),
    handle: (call: RawCall) => handle(call, call.body as Query),
  });
  return mount(
    api,
    [
      route(DEVICE_AUTHORIZATION, (call, form) => beginDevice(parts, call, form)),
      // A log-in: asked again as the state has moved, it would be one more poll, or one more login token.
      { ...route(TOKEN, (call, form) => token(parts, call, { form, polled })), reads: true },
    ],
    counters,
  );
}

async function beginDevice(parts: OAuthParts, { request }: RawCall, form: Query): Promise<Reply> {
  if (!isOfClient(form)) throw otherClient();
  const host = form.get("host_name") ?? "";
  if (!HOST.test(host)) throw new OAuthRefused("invalid_request", "host_name: expected a name of a machine");
  const source = parts.proxies.clientOf(request) ?? "";
  const { deviceCode, userCode, seconds } = await parts.devices.begin({ source, host }, addressBlock(source));
  return oauthReply({
    device_code: deviceCode,
    user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
    verification_uri: `${parts.signIn?.originOf(request.headers.host) ?? ""}/device`,
    expires_in: seconds,
    interval: INTERVAL,
  });
}

interface Asked {
  readonly form: Query;
  /** By the digest of a device code: when it was shown last, in milliseconds of `performance.now()`. */
  readonly polled: LRUCache<string, number>;
}

async function token(parts: OAuthParts, call: RawCall, { form, polled }: Asked): Promise<Reply> {
  const grant = form.get("grant_type") ?? "";
  if (grant === EXCHANGE_GRANT) return exchangeToken(parts, call, form);
  if (grant !== DEVICE_GRANT)
    throw new OAuthRefused(
      "unsupported_grant_type",
      `grant_type: expected ${DEVICE_GRANT} or ${EXCHANGE_GRANT}`,
    );
  const source_ip = parts.proxies.clientOf(call.request) ?? "";
  const origin = { how: "device", request_id: call.requestId, source_ip };
  const failed = (refusal: OAuthRefused, reason: string, user?: string): OAuthRefused => {
    parts.audit.event("authentication_failed", { ...origin, reason, ...(user !== undefined && { user }) });
    return refusal;
  };
  if (!isOfClient(form)) throw failed(otherClient(), "client");
  const code = form.get("device_code") ?? "";
  if (code.length > LONGEST_CODE) throw failed(overOrUnknown(), "expired");
  const now = performance.now();
  const digest = hash("sha256", code, "base64");
  const before = polled.get(digest);
  polled.set(digest, now);
  if (before !== undefined && now - before < (INTERVAL * 1_000) / 2)
    throw new OAuthRefused("slow_down", `ask every ${INTERVAL} seconds`);
  const issued = await parts.devices.token(code, source_ip);
  if (issued === "pending")
    throw new OAuthRefused("authorization_pending", "nobody has confirmed the code yet");
  if (issued === "expired") throw failed(overOrUnknown(), "expired");
  if ("denied" in issued)
    throw failed(new OAuthRefused("access_denied", "the sign-in was refused"), "denied", issued.denied);
  const { username, issuer, expiresAt } = issued;
  parts.audit.event("login", { actor: username, ...origin, ...(issuer !== undefined && { issuer }) });
  return oauthReply({
    access_token: issued.token,
    token_type: "Bearer",
    expires_in: Math.max(0, Math.floor(expiresAt - Date.now() / 1_000)),
  });
}

function overOrUnknown(): OAuthRefused {
  return new OAuthRefused("expired_token", "the code is too old, unknown or was used");
}

function isOfClient(form: Query): boolean {
  return form.get("client_id") === CLIENT;
}

function otherClient(): OAuthRefused {
  return new OAuthRefused("invalid_client", `client_id: expected ${CLIENT}`);
}
