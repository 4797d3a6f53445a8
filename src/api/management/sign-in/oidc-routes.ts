/** `/oidc/login` and `/oidc/callback`: signing in with an identity provider (spec/sign-in §1). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { stringifySetCookie } from "cookie";
import { type ErrorReply, errorReply } from "../../../http/errors.ts";
import type { Described } from "../../../http/openapi/document.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import { addressBlock, type TrustedProxies } from "../../../http/request/client-address.ts";
import { cookieValues } from "../../../http/request/cookie-values.ts";
import {
  ANONYMOUS,
  type Api,
  type MountedRoute,
  mount,
  type RawCall,
  type Reply,
} from "../../../http/route.ts";
import type { Identities } from "../../../identity/identity.ts";
import { STATE_SECONDS } from "../../../sign-in/sealed-state.ts";
import { type SignIn, type SignInReason, SignInRefused, type SignInWay } from "../../../sign-in/sign-in.ts";
import type { AuditEvents, WarningLog } from "../../rest/ports.ts";
import { loginCookie } from "../login/proof.ts";
import { failurePage, failureReply, PAGE_HEADERS, PAGE_TYPE, page, pageReply } from "../page-html.ts";
import { PAGE_ANSWER, PAGE_FAILURES } from "../page-operation.ts";
import { refusedPage, signedInPage, wayLinks } from "./sign-in-html.ts";

const LOGIN_PATH = "/oidc/login";
const CALLBACK_PATH = "/oidc/callback";
const NOT_HERE =
  "Nobody signs in at this address: authorizer.sign_in.origins does not have it. Ask an administrator of this service for the right one.";

/** The path at which a sign-in with a provider begins, and where it leads afterwards. */
export function signInAddress({ name: issuer }: SignInWay, next?: string): string {
  return `${LOGIN_PATH}?${new URLSearchParams({ issuer, ...(next !== undefined && { next }) })}`;
}

/** Parts of the routes. */
interface OidcParts {
  /** undefined if no identity provider signs people in. */
  readonly signIn: SignIn | undefined;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly cookieDomain: string;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
}

const STATUS: Readonly<Partial<Record<SignInReason, number>>> = { state: 400, provider_away: 503, busy: 503 };
const REFUSED_STATUS = 403;

const DESCRIBED = { access: "open", method: "GET", tag: "sessions", failures: PAGE_FAILURES } as const;

/** The routes, as the OpenAPI document describes them. */
export const OIDC_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    ...DESCRIBED,
    path: LOGIN_PATH,
    id: "beginSignIn",
    summary: "Begin to sign in with an identity provider",
    description: "Leads the browser to the provider (303), or shows the providers to choose from.",
    query: [
      {
        name: "issuer",
        in: "query",
        description: "Name of the issuer; needed where several are configured.",
        schema: { type: "string" },
        example: "corp",
      },
      {
        name: "next",
        in: "query",
        description: "The path of this origin to go to afterwards.",
        schema: { type: "string" },
        example: "/repositories",
      },
    ],
    answer: { ...PAGE_ANSWER, description: "The page with the providers." },
  },
  {
    ...DESCRIBED,
    path: CALLBACK_PATH,
    id: "finishSignIn",
    summary: "Finish to sign in with an identity provider",
    description:
      "Where providers send browsers back. Sets the login cookie and the session cookie of a data server; the page leads on.",
    answer: { ...PAGE_ANSWER, description: "The page that leads on." },
  },
];

/** Mounts the routes; where nobody signs in by them, they say so. */
export function oidcRoutes(parts: OidcParts, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = { authenticate: () => ANONYMOUS, refusal: (error, call) => failed(parts, error, call) };
  return mount(
    api,
    [
      { method: "GET", path: LOGIN_PATH, priority: "bulk", handle: (call) => begin(parts, call) },
      { method: "GET", path: CALLBACK_PATH, priority: "bulk", handle: (call) => finish(parts, call) },
    ],
    counters,
  );
}

async function begin({ signIn }: OidcParts, { request, query }: RawCall): Promise<Reply> {
  if (signIn === undefined) throw none();
  const origin = signIn.originOf(request.headers.host);
  if (origin === undefined) return pageReply(failurePage(NOT_HERE), 400);
  const next = query.get("next");
  const [only, second] = signIn.ways;
  const name = query.get("issuer") ?? (second === undefined ? only?.name : undefined);
  if (name === undefined) {
    const addressOf = (way: SignInWay): string => signInAddress(way, next);
    return pageReply(page("Sign in", wayLinks(signIn.ways, addressOf)));
  }
  const { location, state } = await signIn.begin(name, { origin, next });
  const cookie = stateCookie(origin, state, STATE_SECONDS);
  return { status: 303, headers: [...PAGE_HEADERS, "Location", location, "Set-Cookie", cookie] };
}

async function finish(parts: OidcParts, call: RawCall): Promise<Reply> {
  const { signIn, identities, proxies, cookieDomain: domain, audit } = parts;
  const { request, requestId: request_id, queryText } = call;
  if (signIn === undefined) throw none();
  const origin = signIn.originOf(request.headers.host) ?? "";
  const source_ip = proxies.clientOf(request) ?? "";
  const state = cookieValues(request.headers.cookie ?? "", stateName(origin));
  const how = "openid_connect";
  const { identity, way, next, isNew } = await signIn.finish(queryText, {
    state,
    source: addressBlock(source_ip),
    onUnknown: (person) =>
      audit.event("login", { how, ...person, request_id, source_ip, outcome: "unknown" }),
  });
  const { token, expiresAt } = await identities.issueLoginToken({
    ...identity,
    origin: { how, source: source_ip },
  });
  audit.event("login", {
    actor: identity.username,
    how,
    issuer: way.name,
    created: isNew,
    request_id,
    source_ip,
  });
  const secure = origin.startsWith("https:");
  const secondsLeft = expiresAt - Date.now() / 1_000;
  const session = signIn.dataServerSession(token);
  const headers = [
    ...PAGE_HEADERS,
    ...loginCookie(token, { secondsLeft, domain, secure }),
    ...(session === undefined ? [] : sessionCookie(session, { secondsLeft, secure })),
    "Set-Cookie",
    stateCookie(origin, "", 0),
  ];
  return { status: 200, body: signedInPage(next), type: PAGE_TYPE, headers };
}

function none(): AuthorizerError {
  return new AuthorizerError("not_found", "Nobody signs in here with an identity provider.");
}

/** The header of the data server's session cookie; its name and its attributes are the data server's. */
function sessionCookie(value: string, { secondsLeft, secure }: { secondsLeft: number; secure: boolean }) {
  const maxAge = Math.max(0, Math.floor(secondsLeft));
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", maxAge, secure } as const;
  return ["Set-Cookie", stringifySetCookie({ name: "internal_auth_session", value, ...attributes })];
}

/** No other host can set a cookie with this prefix; browsers take it under TLS alone. */
function stateName(origin: string): string {
  return origin.startsWith("https:") ? "__Host-svc-sign-in" : "svc-sign-in";
}

/** Lax: the browser comes from the provider. */
function stateCookie(origin: string, value: string, maxAge: number): string {
  const secure = origin.startsWith("https:");
  return stringifySetCookie({
    name: stateName(origin),
    value,
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    maxAge,
    secure,
  });
}

/** A page for every error. What the provider said goes to the log. */
function failed({ audit, log, proxies, signIn }: OidcParts, error: unknown, call: RawCall): ErrorReply {
  const { request, requestId: request_id } = call;
  if (!(error instanceof SignInRefused)) {
    return failureReply(error);
  }
  const { reason, way, username } = error;
  const source_ip = proxies.clientOf(request) ?? "";
  const fields = { request_id, reason, ...(way !== undefined && { issuer: way.name }) };
  const of = {
    ...fields,
    how: "openid_connect",
    source_ip,
    ...(username !== undefined && { user: username }),
  };
  audit.event("authentication_failed", of);
  if (error.cause !== undefined)
    log.warn("a sign-in was refused", { ...fields, cause: causeOf(error.cause) });
  const status = STATUS[reason] ?? REFUSED_STATUS;
  const origin = signIn?.originOf(request.headers.host);
  const headers = [
    ...PAGE_HEADERS,
    ...(status === 503 ? ["Retry-After", "60"] : []),
    ...(origin === undefined ? [] : ["Set-Cookie", stateCookie(origin, "", 0)]),
  ];
  const reply = errorReply(new AuthorizerError("unauthenticated", "the sign-in is refused"));
  return {
    ...reply,
    status,
    body: refusedPage(reason, way?.title, username),
    type: PAGE_TYPE,
    headers,
    recorded: true,
  };
}

const LONGEST_CAUSE = 200;

/** The text of an error, without its subject: that may hold codes and tokens. */
function causeOf(cause: unknown): string {
  const { message, error, code } = cause as {
    readonly message?: unknown;
    readonly error?: unknown;
    readonly code?: unknown;
  };
  return [code, error, message]
    .filter((part) => typeof part === "string")
    .join(": ")
    .slice(0, LONGEST_CAUSE);
}
