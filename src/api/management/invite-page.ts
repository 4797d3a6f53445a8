/**
 * `/auth/invite`: where the link of an invitation leads (docs/invitations.md). Opening it shows a button and uses
 * nothing up, since mail scanners open links; pressing the button makes an access key and shows it, once.
 */

import type { ServerResponse } from "node:http";
import type { Directory } from "../../directory/directory.ts";
import { type AuthorizerError, isErrorCode } from "../../errors.ts";
import { overloaded } from "../../http/admission.ts";
import { readBody } from "../../http/body.ts";
import type { TrustedProxies } from "../../http/client-address.ts";
import { errorReply, RequestRefused } from "../../http/errors.ts";
import type { ListenerEdge } from "../../http/exchange.ts";
import { makeRequestId } from "../../http/request-id.ts";
import { continueIfAsked, type ServiceRequest } from "../../http/service-request.ts";
import type { AuditEvents } from "../../observe/audit-port.ts";
import type { RouteMeter } from "../../observe/http-counters.ts";
import { Query } from "../data-server/query.ts";
import { refuseCrossSite } from "./cross-site.ts";
import { failurePage, keyPage, openingPage, PAGE_HEADERS } from "./invite-html.ts";
import type { UserInvitations } from "./ports.ts";
import { isSecure } from "./proof.ts";

/** Where the links of invitations lead, below `email.svc_base_url`. */
export const INVITE_PATH = "/auth/invite";

const FORM = "application/x-www-form-urlencoded";
const MAX_FORM_BYTES = 4096;
const MAX_TOKEN_LENGTH = 256;

/** What the page needs. */
export interface InvitePageParts {
  readonly edge: ListenerEdge;
  readonly directory: Pick<Directory, "credentials">;
  readonly invitations: UserInvitations;
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
}

/** A page as it goes out. */
interface Page {
  readonly status: number;
  readonly html: string;
  readonly headers?: readonly string[];
}

/** Serves a request if it is for the page; false: somebody else may. */
export function invitePage(parts: InvitePageParts) {
  const meters = new Map(
    ["GET", "HEAD", "POST"].map((method) => [method, parts.edge.counters.route(method, INVITE_PATH)]),
  );
  const other = parts.edge.counters.route("*", "unmatched");
  return (request: ServiceRequest, response: ServerResponse): boolean => {
    const target = request.url as string;
    if (target !== INVITE_PATH && !target.startsWith(`${INVITE_PATH}?`)) return false;
    void serve(parts, meters.get(request.method as string) ?? other, request, response);
    return true;
  };
}

async function serve(
  parts: InvitePageParts,
  meter: RouteMeter,
  request: ServiceRequest,
  response: ServerResponse,
): Promise<void> {
  response.once("finish", () =>
    meter.answered(response.statusCode, (performance.now() - request.startedAt) / 1000),
  );
  const requestId = makeRequestId();
  let page: Page;
  try {
    page = await pageFor(parts, request, response, requestId);
  } catch (error) {
    // Whoever went away half-way through a form needs no answer, and no line in the log.
    if (request.socket.destroyed) return;
    page = failed(parts, error, requestId);
  }
  if (response.headersSent || request.socket.destroyed) return;
  if (parts.edge.stopping() || request.awaitsContinue) response.shouldKeepAlive = false;
  response.writeHead(page.status, [
    ...PAGE_HEADERS,
    "Content-Length",
    String(Buffer.byteLength(page.html)),
    "X-Request-ID",
    requestId,
    ...(page.headers ?? []),
  ]);
  response.end(page.html);
  request.resume();
}

function failed({ edge, audit }: InvitePageParts, error: unknown, request_id: string): Page {
  if (isErrorCode(error, "not_found")) {
    audit.event("authentication_failed", { request_id, path: INVITE_PATH, message: error.message });
    return { status: 404, html: failurePage("This invitation is unknown, was used or has expired.") };
  }
  const { status, headers, errorId } = errorReply(error);
  if (errorId !== undefined) edge.log.failure({ error_id: errorId, request_id, path: INVITE_PATH, error });
  const text = errorId === undefined ? (error as AuthorizerError).message : `internal error ${errorId}`;
  return { status, html: failurePage(text), headers };
}

async function pageFor(
  parts: InvitePageParts,
  request: ServiceRequest,
  response: ServerResponse,
  requestId: string,
): Promise<Page> {
  const { method } = request;
  if (method === "GET" || method === "HEAD") {
    const target = request.url as string;
    const mark = target.indexOf("?");
    const token = new Query(mark < 0 ? "" : target.slice(mark + 1)).get("token") ?? "";
    return { status: 200, html: openingPage(token.slice(0, MAX_TOKEN_LENGTH)) };
  }
  if (method !== "POST") {
    const allow = "GET, HEAD, POST";
    throw new RequestRefused(405, `this path knows the methods ${allow}`, ["Allow", allow]);
  }
  const { proxies, publicOrigins } = parts;
  const secure = isSecure(request, proxies);
  refuseCrossSite(request, { withCookie: false, secure, publicOrigins });
  if (!parts.edge.admission.enter("bulk")) throw overloaded();
  try {
    return await redeem(parts, await formToken(request, response), request, requestId);
  } finally {
    parts.edge.admission.leave();
  }
}

async function formToken(request: ServiceRequest, response: ServerResponse): Promise<string> {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== FORM) throw new RequestRefused(415, `Content-Type must be ${FORM}`);
  const tooLarge = () => new RequestRefused(413, "the form is too large");
  continueIfAsked(request, response);
  const bytes = await readBody(request, MAX_FORM_BYTES, tooLarge);
  return new Query(bytes.toString("latin1")).get("token") ?? "";
}

async function redeem(
  { directory, invitations, proxies, audit }: InvitePageParts,
  token: string,
  request: ServiceRequest,
  request_id: string,
): Promise<Page> {
  const { username } = await invitations.redeem(token);
  const key = await directory.credentials.create(username);
  const { access_key_id, creation_date, secret_access_key } = key;
  const source_ip = proxies.clientOf(request) ?? "";
  const origin = { actor: username, how: "invitation", request_id, source_ip };
  audit.event("write", {
    ...origin,
    operation: "redeemInvitation",
    user: username,
    after: { access_key_id, creation_date },
  });
  audit.event("secret_read", { ...origin, operation: "redeemInvitation", user: username, access_key_id });
  return { status: 200, html: keyPage({ username, access_key_id, secret_access_key }) };
}
