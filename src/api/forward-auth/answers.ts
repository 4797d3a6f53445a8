/** Answers to proxies about requests of clients (spec/security §2.2, spec/security §2.3). */

import type { HttpLog } from "../../http/ports.ts";
import type { Reply } from "../../http/route.ts";
import { claimedKeyId } from "./claimed-key.ts";
import type { AskedRequest, Outcome, Refused, Sender } from "./decide-request.ts";
import { splitUri } from "./proxies.ts";
import { refusalReply } from "./refusals.ts";

/** The name of the anonymous user. No user can have this name. */
const ANONYMOUS_NAME = "-";
/** A name that a header can carry as it is. */
const PLAIN_NAME = /^(?!-$)[!-~]+$/;

/**
 * The answer to a proxy: 200 with the user, or the refusal for the client. A refusal of somebody unknown is logged.
 * @param entrance the path that the log names
 */
export function answerOf(outcome: Outcome, asked: AskedRequest, log: HttpLog, entrance: string): Reply {
  if (outcome.pass) return passed(outcome.identity, outcome.id);
  return refused(outcome, asked, log, entrance);
}

/** The one place that makes a 2xx. */
function passed(identity: Sender | undefined, id: string): Reply {
  const user = identity === undefined ? ANONYMOUS_NAME : headerName(identity.username);
  const decision = id === "" ? [] : ["X-Svc-Decision-Id", id];
  return { status: 200, headers: ["X-Svc-User", user, ...decision] };
}

/**
 * A user's name as a header can carry it: what is not printable ASCII is percent-encoded, and so is the name that would
 * read as anonymous. Names hold no `%` (spec/security §3.0), so it can be decoded.
 */
function headerName(username: string): string {
  if (PLAIN_NAME.test(username)) return username;
  if (username === ANONYMOUS_NAME) return "%2D";
  return username.toWellFormed().replace(/[^!-~]+/gu, (text) => encodeURIComponent(text));
}

function refused(
  { refusal, id, identity }: Refused,
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
      ...(key === undefined ? {} : { access_key_id: key }),
    });
  }
  const reply = refusalReply(refusal, { resource: path, id: id === "" ? requestId : id });
  return id === "" ? reply : { ...reply, headers: [...reply.headers, "X-Svc-Decision-Id", id] };
}
