/**
 * Decides a request that a proxy asks about (spec/security §2): who sent it, what it needs, whether it may pass.
 * All ways to a pass meet in one place, `outcomeOf`; everything else is a refusal. A preflight, which asks for nothing,
 * passes before that where the configuration says so.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { AskingCall } from "../../decisions/decision-log.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import type { RequestAnswer, UsedCredential } from "../../decisions/requests.ts";
import type { Exchange, NotExchanged, Upstream } from "../../exchange/exchange.ts";
import type { Identities, Identity, Signatory } from "../../identity/identity.ts";
import type { OidcSubject, OidcTokens } from "../../identity/oidc/oidc.ts";
import { SignatureRefused } from "../../identity/refusals.ts";
import type { SessionCookieName } from "../../identity/session-cookies/sealed-cookie.ts";
import type { WireRequest } from "../../request-map/endpoints.ts";
import { whichApi } from "../../request-map/which-api.ts";
import { type Shown, shownCredential } from "./credentials.ts";
import { isPreflight } from "./preflight.ts";
import { type OriginalRequest, splitUri } from "./proxies.ts";
import type { Refusal } from "./refusals.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { withSessions } from "./session-credentials.ts";

/** Parts with which requests are decided. */
export interface RequestDecisionOptions {
  readonly decisions: Decisions;
  readonly identities: Identities;
  /** Tokens of identity providers. */
  readonly oidc: OidcTokens;
  /** `gateways.s3.domain_name`. */
  readonly s3Domains: readonly string[];
  /** The session cookies of the data server that count (`auth.ui_config.login_cookie_names`). */
  readonly sessionCookies: ReadonlySet<SessionCookieName>;
  /** `authorizer.forward_auth.body`. */
  readonly missingBody: "deny" | "every_resource";
  /** `authorizer.forward_auth.preflight`. */
  readonly preflight: "deny" | "allow";
  /** Origin of `authorizer.public_url`, where browsers are that use login cookies. */
  readonly publicOrigin: string | undefined;
  /** `authorizer.exchange`; undefined: the client's own credential goes on. */
  readonly exchange?: Exchange | undefined;
}

/** The answer about a row whose items the asker filters. */
type ToldItems = Pick<RequestAnswer, "operation" | "perItem">;

/** A request that a proxy asks about. */
export interface AskedRequest {
  readonly original: OriginalRequest;
  readonly headers: RequestHeaders;
  /** Address of the client. */
  readonly source: string;
  readonly requestId: string;
  /** The call, for the decision log. */
  readonly call: AskingCall;
  /**
   * True where the asker filters the items of a list that the data server answers. A user of the directory then needs what the
   * list itself needs; anybody else still needs the right to all items.
   */
  readonly filters?: boolean;
}

/** The one who sent a request: a user of the directory, or the subject of a verified token. */
type Sender = Identity | Signatory | OidcSubject;

/** An outcome that lets nothing pass. */
export interface Refused {
  readonly pass: false;
  readonly refusal: Refusal;
  /** Decision id; "" without a decision. */
  readonly id: string;
  readonly identity?: Sender;
  /** The kind of credential, where it is nobody's. */
  readonly shown?: ShownKind;
}

/** The kind of what was shown: as in `Identity.how`; for a token of an issuer, the name of that. */
interface ShownKind {
  readonly how: Sender["how"];
  readonly issuer?: string;
}

/** The result. `identity` is the authenticated user, also for a refused request; a preflight has no decision, and `id` "". */
export type Outcome =
  | {
      readonly pass: true;
      readonly identity: Sender | undefined;
      readonly id: string;
      /** With an exchange: the credential that goes upstream. */
      readonly upstream?: Upstream;
      /** The decided row; absent without a decision. */
      readonly told?: ToldItems;
    }
  | Refused;

/** The request as the permission tables read it, with its kind of errors. */
interface Reading {
  readonly wire: WireRequest;
  readonly s3: boolean;
}

const REPLICATION = "/service/replication/";
const SAFE = new Set(["GET", "HEAD"]);

/** Decides a request; rejects or throws only where that is not possible (store failure, overload). */
export function decideRequest(
  options: RequestDecisionOptions,
  request: AskedRequest,
): Outcome | Promise<Outcome> {
  const { original, headers } = request;
  if (options.preflight === "allow" && isPreflight(original, headers)) {
    const upstream = options.exchange && { upstream: { authorization: undefined } };
    return { pass: true, identity: undefined, id: "", ...upstream };
  }
  const [path, query] = splitUri(original.uri);
  const reading = read(options, request, path, query);
  if ("refusal" in reading) return reading;
  let shown: Shown;
  try {
    shown = shownCredential(headers, query, options.sessionCookies);
  } catch (error) {
    if (!isErrorCode(error, "unauthenticated")) throw error;
    return refusal({ status: 401, message: error.message });
  }
  const found = (known: Sender | undefined): Outcome | Promise<Outcome> => {
    const outcome = decided(options, request, reading, known);
    if (known !== undefined || shown.kind !== "sessions") return outcome;
    const kind = { how: "session_cookie" } as const;
    return outcome instanceof Promise
      ? outcome.then((late) => ofNobody(late, kind))
      : ofNobody(outcome, kind);
  };
  let identity: Sender | undefined | Promise<Sender | undefined>;
  try {
    identity = identify(options, request, reading, shown);
  } catch (error) {
    return unidentified(error, reading, () => kindOf(shown, options.oidc));
  }
  if (!(identity instanceof Promise)) return found(identity);
  return identity.then(found, (error) => unidentified(error, reading, () => kindOf(shown, options.oidc)));
}

/** An outcome with what was shown, where that was nobody's. */
function ofNobody(outcome: Outcome, shown: ShownKind): Outcome {
  return outcome.pass ? outcome : { ...outcome, shown };
}

function kindOf(shown: Shown, oidc: OidcTokens): ShownKind | undefined {
  if (shown.kind === "nothing") return undefined;
  if (shown.kind === "sessions") return { how: "session_cookie" };
  if (shown.kind !== "login_token") return { how: shown.kind };
  const issuer = shown.inCookie ? undefined : oidc.claimedIssuer(shown.token);
  return issuer === undefined ? { how: "login_token" } : { how: "oidc_token", issuer };
}

function read(
  options: RequestDecisionOptions,
  request: AskedRequest,
  path: string,
  query: string,
): Reading | Refused {
  const { original, headers } = request;
  for (const name of headers.repeated) {
    if (name.startsWith("x-amz-")) return refusal({ status: 403, message: `more than one ${name} header` });
  }
  const header = (name: string): string | undefined => headers.get(name);
  const chosen = whichApi({ host: original.host, query, header, s3Domains: options.s3Domains });
  if ("problem" in chosen) return refusal({ status: 403, message: chosen.problem });
  const s3 = chosen.api === "gateway";
  const api = !s3 && path.startsWith(REPLICATION) ? "replication" : chosen.api;
  const bucket = chosen.bucket === undefined ? {} : { bucket: chosen.bucket };
  return { wire: { api, method: original.method, path, query, header, ...bucket }, s3 };
}

/** @throws AuthorizerError "unauthenticated", at once or by rejection */
function identify(
  { identities, oidc, publicOrigin }: RequestDecisionOptions,
  { original, headers, source }: AskedRequest,
  { wire, s3 }: Reading,
  shown: Shown,
): Sender | undefined | Promise<Sender | undefined> {
  if (shown.kind === "nothing") return undefined;
  if (shown.kind === "signature") {
    if (!s3) throw new AuthorizerError("unauthenticated", "signed requests are for the S3 gateway");
    const signed = headers.restored(original);
    return identities.withSignature(
      { method: wire.method, path: wire.path, query: wire.query, headers: signed },
      source,
    );
  }
  if (s3) throw new SignatureRefused("AccessDenied", "requests of the S3 gateway need an AWS signature");
  if (shown.kind === "access_key") return identities.withAccessKey(shown.accessKeyId, shown.secret, source);
  const byCookie = shown.kind === "sessions" || shown.inCookie;
  if (byCookie && !SAFE.has(wire.method) && !isSameSite(headers, publicOrigin)) throw new CrossSite();
  if (shown.kind === "sessions") return withSessions(identities, shown);
  if (!shown.inCookie && oidc.claimedIssuer(shown.token) !== undefined) return oidc.verify(shown.token);
  return identities.withLoginToken(shown.token);
}

/** A write that another site made a browser send along with its cookie (spec/security §6.1). */
class CrossSite extends Error {}

function isSameSite(headers: RequestHeaders, publicOrigin: string | undefined): boolean {
  if (headers.single("sec-fetch-site") === "same-origin") return true;
  return publicOrigin !== undefined && headers.single("origin") === publicOrigin;
}

/** The outcome after a failed authentication. Rethrows every other error. */
function unidentified(error: unknown, { s3 }: Reading, kind: () => ShownKind | undefined): Outcome {
  const because = (why: Refusal): Refused => {
    const shown = kind();
    return { ...refusal(why), ...(shown !== undefined && { shown }) };
  };
  if (error instanceof CrossSite) {
    return because({ status: 403, message: "this write was sent from another site" });
  }
  if (error instanceof SignatureRefused) {
    return because({ status: 403, s3: error.fault, message: error.message });
  }
  if (!isErrorCode(error, "unauthenticated")) throw error;
  if (s3) return because({ status: 403, s3: "AccessDenied", message: error.message });
  return because({ status: 401, message: error.message });
}

function decided(
  options: RequestDecisionOptions,
  request: AskedRequest,
  reading: Reading,
  identity: Sender | undefined,
): Outcome | Promise<Outcome> {
  const context: DecisionContext = new Map<string, string>().set("SourceIp", request.source);
  const asserted = identity?.how === "oidc_token" ? identity : undefined;
  const issuer = asserted?.issuer;
  const answer = options.decisions.request({
    user: identity?.username,
    // A user is found by its internal id, another subject by its groups.
    userId: identity === undefined || identity.how === "oidc_token" ? undefined : identity.userId,
    groups: asserted?.groups,
    asserter: issuer && { name: issuer.name, assertGroups: issuer.assertGroups },
    mayBeUser: issuer?.directoryUsers,
    signed: asserted && { groupsAreElsewhere: asserted.groupsAreElsewhere },
    request: reading.wire,
    rules: options.exchange?.rules,
    items: request.filters === true && identity !== undefined && asserted === undefined ? "told" : "required",
    missingBody: options.missingBody,
    context,
    entrance: "forward_auth",
    requestId: request.requestId,
    call: request.call,
    credential: identity && usedBy(identity),
  });
  const ended = (known: RequestAnswer) => outcomeOf(known, { options, request, reading, identity });
  return answer instanceof Promise ? answer.then(ended) : ended(answer);
}

function usedBy(sender: Sender): UsedCredential {
  if (sender.how === "oidc_token") return { how: sender.how, issuer: sender.issuer.name };
  const { how, accessKeyId } = sender;
  return accessKeyId === undefined ? { how } : { how, access_key_id: accessKeyId };
}

/** A decided request. */
interface DecidedRequest {
  readonly options: RequestDecisionOptions;
  readonly request: AskedRequest;
  readonly reading: Reading;
  readonly identity: Sender | undefined;
}

/** The one place where a request may pass: after an allow. */
function outcomeOf(answer: RequestAnswer, decided: DecidedRequest): Outcome {
  const { id } = answer;
  const { identity, options, reading } = decided;
  let message = answer.message ?? "insufficient permissions";
  if (answer.allowed && answer.effect === "allow") {
    if (options.exchange === undefined) return { pass: true, identity, id };
    const upstream = exchanged(options.exchange, decided);
    if (!("refused" in upstream)) {
      const told = { operation: answer.operation, ...(answer.perItem && { perItem: answer.perItem }) };
      return { pass: true, identity, id, upstream, told };
    }
    message = upstream.refused;
  }
  const status = identity === undefined && !reading.s3 ? 401 : 403;
  const why: Refusal = reading.s3 ? { status: 403, s3: "AccessDenied", message } : { status, message };
  return { pass: false, refusal: why, id, ...(identity === undefined ? {} : { identity }) };
}

function exchanged(
  exchange: Exchange,
  { request, reading, identity }: DecidedRequest,
): Upstream | NotExchanged {
  const { headers, original } = request;
  return exchange.upstream({
    wire: reading.wire,
    headers: headers.restored(original),
    repeated: headers.repeated,
    anonymous: identity === undefined,
    accessKeyId: identity !== undefined && "accessKeyId" in identity ? identity.accessKeyId : undefined,
    signed: identity !== undefined && "signed" in identity ? identity.signed : undefined,
  });
}

function refusal(why: Refusal): Refused {
  return { pass: false, refusal: why, id: "" };
}
