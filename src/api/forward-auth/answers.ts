/** Answers to proxies about requests of clients (spec/security §2.2, spec/security §2.3). */

import type { Upstream } from "../../exchange/exchange.ts";
import type { HttpLog } from "../../http/ports.ts";
import type { Reply } from "../../http/route.ts";
import { claimedKeyId } from "./claimed-key.ts";
import type { AskedRequest, Outcome, Refused } from "./decide-request.ts";
import { type ProxyKind, splitUri } from "./proxies.ts";
import { refusalReply } from "./refusals.ts";

/** The name of the anonymous user. No user can have this name. */
const ANONYMOUS_NAME = "-";
/** A name that a header can carry as it is. */
const PLAIN_NAME = /^(?!-$)[!-~]+$/;

type Passed = Extract<Outcome, { readonly pass: true }>;

/**
 * The answer to a proxy: 200 with the user, or the refusal for the client. A refusal of somebody unknown is logged.
 */
export function answerOf(
  outcome: Outcome,
  asked: AskedRequest,
  { log, entrance, proxy }: AnswerOptions,
): Reply {
  if (outcome.pass) return passed(outcome, proxy);
  return refused(outcome, asked, log, entrance);
}

/** The asker of an answer. */
interface AnswerOptions {
  readonly log: HttpLog;
  /** The path that the log names. */
  readonly entrance: string;
  readonly proxy: ProxyKind;
}

/** The one place that makes a 2xx. */
function passed({ identity, id, upstream }: Passed, proxy: ProxyKind): Reply {
  const user = identity === undefined ? ANONYMOUS_NAME : headerName(identity.username);
  const decision = id === "" ? [] : ["X-Svc-Decision-Id", id];
  const credential = upstream === undefined ? [] : upstreamHeaders(upstream, proxy);
  return { status: 200, headers: ["X-Svc-User", user, ...decision, ...credential] };
}

/** Proxies that send a header of the answer under its own name. */
const KEEPING_NAMES: ReadonlySet<ProxyKind> = new Set(["traefik", "envoy"]);

/** The headers with what goes upstream in place of the client's credential (spec/exchange §3). Caches must not keep it. */
function upstreamHeaders({ authorization, uri, date }: Upstream, proxy: ProxyKind): readonly string[] {
  const name = KEEPING_NAMES.has(proxy) ? "Authorization" : "X-Svc-Upstream-Authorization";
  return [
    ...["Cache-Control", "no-store"],
    ...(authorization === undefined ? [] : [name, authorization]),
    ...(uri === undefined ? [] : ["X-Svc-Upstream-Uri", uri]),
    ...(date === undefined ? [] : ["X-Svc-Upstream-Date", date]),
  ];
}

/**
 * A user's name as a header can carry it: what is not printable ASCII is percent-encoded, and so is the name that would
 * read as anonymous. Names hold no `%` (spec/security §3.0), so it can be decoded.
 */
export function headerName(username: string): string {
  if (PLAIN_NAME.test(username)) return username;
  if (username === ANONYMOUS_NAME) return "%2D";
  return username.toWellFormed().replace(/[^!-~]+/gu, (text) => encodeURIComponent(text));
}

function refused(
  { refusal, id, identity, shown }: Refused,
  { original, headers, source, requestId }: AskedRequest,
  log: HttpLog,
  entrance: string,
): Reply {
  const { status, message } = refusal;
  const [path, query] = splitUri(original.uri);
  if (identity === undefined) {
    const key = claimedKeyId(headers, query);
    log.refused({
      request_id: requestId,
      path: entrance,
      status,
      message,
      peer: source,
      ...shown,
      ...(key === undefined ? {} : { access_key_id: key }),
    });
  }
  const reply = refusalReply(refusal, {
    resource: path,
    id: id === "" ? requestId : id,
    isOfPage: headers.get("sec-fetch-site") !== undefined,
  });
  return id === "" ? reply : { ...reply, headers: [...reply.headers, "X-Svc-Decision-Id", id] };
}
