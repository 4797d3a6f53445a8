/**
 * `/auth/invite`: where the link of an invitation leads (docs/invitations.md). Opening it shows a button and uses
 * nothing up, since mail scanners open links; pressing the button makes an access key and shows it, once.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Response } from "express";
import type { Directory } from "../../../directory/directory.ts";
import { type ErrorReply, errorReply } from "../../../http/errors.ts";
import type { HttpLimits } from "../../../http/limits.ts";
import type { Described } from "../../../http/openapi/document.ts";
import { callOf, pageHandler, setHeaders } from "../../../http/pages/pages.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import { Query } from "../../../http/request/query.ts";
import {
  ANONYMOUS,
  type Api,
  type MountedRoute,
  mount,
  type RawCall,
  type Reply,
} from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import type { AuditEvents } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import { refuseCrossSite } from "../login/cross-site.ts";
import { isSecure } from "../login/proof.ts";
import { failurePage, PAGE_HEADERS, PAGE_TYPE } from "../page-html.ts";
import type { Setup, UserInvitations } from "../ports.ts";
import { keyPage, openingPage, statePage } from "./invite-html.ts";

/** The path of the links of invitations, below `email.svc_base_url`. */
const INVITE_PATH = "/auth/invite";

const MAX_FORM_BYTES = 4096;

/** Parts of the page. */
interface InvitePageParts {
  readonly directory: Pick<Directory, "credentials">;
  readonly invitations: UserInvitations;
  readonly setup: Setup;
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const PAGE = { type: "text/html", schema: { type: "string" } } as const;
const PAGE_FAILURES = {
  404: pageFailure("The link is not valid; the page says why."),
  default: pageFailure("A page that says what went wrong."),
};

function pageFailure(description: string) {
  return { description, headers: NO_STORE_HEADER, content: { [PAGE.type]: { schema: PAGE.schema } } };
}

/** The page, as the OpenAPI document describes it. */
export const INVITE_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    access: "open",
    method: "GET",
    path: INVITE_PATH,
    id: "showInvitation",
    tag: "service",
    summary: "The page behind an invitation",
    description:
      "A page with a button, or what became of the invitation. Opening it does not use the invitation up.",
    query: [
      {
        name: "token",
        in: "query",
        description: "The token of the link.",
        schema: { type: "string" },
        example: "the-token-of-the-link",
      },
    ],
    answer: { ...PAGE, status: 200, description: "The page.", headers: NO_STORE_HEADER },
    failures: {
      ...PAGE_FAILURES,
      410: pageFailure("The invitation was used, has expired, or its user was deleted; the page says which."),
    },
  },
  {
    access: "open",
    method: "POST",
    path: INVITE_PATH,
    id: "redeemInvitation",
    tag: "service",
    summary: "Redeem an invitation",
    description: "Uses the invitation up: an access key is made and shown, once.",
    body: {
      type: "application/x-www-form-urlencoded",
      schema: schemaRef("Form"),
      example: { token: "the-token-of-the-link" },
    },
    answer: {
      ...PAGE,
      status: 200,
      description: "The access key with its secret.",
      headers: NO_STORE_HEADER,
    },
    failures: PAGE_FAILURES,
  },
];

/** The routes of the page. */
export function inviteRoutes(parts: InvitePageParts, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = {
    authenticate: ({ request }) => {
      const secure = isSecure(request, parts.proxies);
      refuseCrossSite(request, { withCookie: false, secure, publicOrigins: parts.publicOrigins });
      return ANONYMOUS;
    },
    refusal: (error, call) => failed(error, call, parts.audit),
  };
  const handle = pageHandler((app) => {
    app.get(INVITE_PATH, async (_request, response) => send(response, await show(parts, callOf(response))));
  });
  return mount(
    api,
    [
      { method: "GET", path: INVITE_PATH, head: true, priority: "bulk", handle },
      {
        method: "POST",
        path: INVITE_PATH,
        priority: "bulk",
        body: {
          format: "form",
          maxBytes: MAX_FORM_BYTES,
          arrivesWithinMs: parts.limits.anonymousBodyTimeoutMs,
          parse: (bytes) => new Query(bytes.toString("latin1")),
        },
        handle: (call) => redeemOrExplain(parts, call),
      },
    ],
    counters,
  );
}

interface Page {
  readonly status: number;
  readonly html: string;
}

function page(status: number, html: string): Page {
  return { status, html };
}

function send(response: Response, { status, html }: Page): void {
  setHeaders(response, PAGE_HEADERS);
  response.status(status).type("html").send(html);
}

/** An invitation that cannot be redeemed, with the page that says why. */
class NotRedeemed extends AuthorizerError {
  readonly html: string;

  constructor(cause: AuthorizerError, html: string) {
    super(cause.code, cause.message, { cause });
    this.html = html;
  }
}

function failed(
  error: unknown,
  { requestId: request_id }: Pick<RawCall, "requestId">,
  audit: AuditEvents,
): ErrorReply {
  const reply = errorReply(error);
  if (error instanceof NotRedeemed) {
    audit.event("authentication_failed", { request_id, path: INVITE_PATH, message: error.message });
    return { ...reply, body: error.html, type: PAGE_TYPE, headers: PAGE_HEADERS };
  }
  const { errorId, headers } = reply;
  const text = errorId === undefined ? (error as AuthorizerError).message : `internal error ${errorId}`;
  return { ...reply, body: failurePage(text), type: PAGE_TYPE, headers: [...PAGE_HEADERS, ...headers] };
}

/** The page of a link: a button where the invitation is open, else what became of it. */
async function show({ invitations, setup }: InvitePageParts, { query }: RawCall): Promise<Page> {
  const token = query.get("token") ?? "";
  const state = await invitations.state(token);
  if (state === "open") return page(200, openingPage(token));
  if (state !== "unknown") return page(410, statePage(state));
  return page(404, statePage(state, await setup.isDone()));
}

/** @throws NotRedeemed */
async function redeemOrExplain(parts: InvitePageParts, call: RawCall): Promise<Reply> {
  const token = (call.body as Query).get("token") ?? "";
  try {
    const body = await redeem(parts, token, call);
    return { status: 200, body, type: PAGE_TYPE, headers: PAGE_HEADERS };
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    const state = await parts.invitations.state(token);
    throw new NotRedeemed(error, statePage(state === "open" ? "withdrawn" : state));
  }
}

async function redeem(
  { directory, invitations, proxies, audit }: InvitePageParts,
  token: string,
  { request, requestId: request_id }: RawCall,
): Promise<string> {
  const source_ip = proxies.clientOf(request) ?? "";
  const origin = { how: "invitation", request_id, source_ip, operation: "redeemInvitation" };
  // Until the link is used up, its user is not known.
  const { username } = await auditingUnknown(
    () => invitations.redeem(token),
    (outcome) => audit.event("write", { actor: "invitation", ...origin, ...outcome }),
  );
  const ofUser = { actor: username, ...origin, user: username };
  const key = await auditingUnknown(
    () => directory.credentials.create(username),
    (outcome) => audit.event("write", { ...ofUser, ...outcome }),
  );
  const { access_key_id, creation_date, secret_access_key } = key;
  audit.event("write", { ...ofUser, after: { access_key_id, creation_date } });
  audit.event("secret_read", { ...ofUser, access_key_id });
  return keyPage({ username, access_key_id, secret_access_key });
}
