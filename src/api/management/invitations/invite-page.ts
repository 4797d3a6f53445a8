/**
 * `/auth/invite`: where the link of an invitation leads (docs/invitations.md), and `/auth/reset`, where that of a mail for a new
 * password does. Opening them shows buttons and uses nothing up, since mail scanners open links; pressing one makes an access
 * key and shows it, once, or sets a password.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Response } from "express";
import type { Directory, JudgedState } from "../../../directory/directory.ts";
import { formBody } from "../../../http/body/form-body.ts";
import { type ErrorReply, errorReply } from "../../../http/errors.ts";
import type { HttpLimits } from "../../../http/limits.ts";
import type { Described } from "../../../http/openapi/document.ts";
import { callOf, pageHandler, setHeaders } from "../../../http/pages/pages.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import type { Query } from "../../../http/request/query.ts";
import { type Api, type MountedRoute, mount, type RawCall, type Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { AuditEvents } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import { failureReply, PAGE_HEADERS, PAGE_TYPE, pageReply } from "../page-html.ts";
import { ofThisSite, PAGE_ANSWER, PAGE_FAILURES, pageFailure } from "../page-operation.ts";
import type { LinkKind, LinkUser, OwnPasswords, Setup, UserInvitations } from "../ports.ts";
import { keyPage, openingPage, passwordSetPage, statePage } from "./invite-html.ts";

/** The paths of links in mails, below `email.svc_base_url`. */
const PATHS: Readonly<Record<LinkKind, string>> = { invitation: "/auth/invite", reset: "/auth/reset" };

/** Two passwords of the longest kind, each byte as three characters. */
const MAX_FORM_BYTES = 8 << 10;

/** Parts of the page. */
interface InvitePageParts {
  readonly directory: Pick<Directory, "credentials" | "alsoJudged">;
  readonly invitations: UserInvitations;
  /** undefined where no passwords are kept. */
  readonly ownPasswords: OwnPasswords | undefined;
  readonly setup: Setup;
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const FAILURES = {
  ...PAGE_FAILURES,
  404: pageFailure("The link is not valid; the page says why."),
};

const TOKEN_QUERY = [
  {
    name: "token",
    in: "query",
    description: "The token of the link.",
    schema: { type: "string" },
    example: "the-token-of-the-link",
  },
] as const;
const SHOWN = {
  access: "open",
  method: "GET",
  tag: "service",
  query: TOKEN_QUERY,
  answer: PAGE_ANSWER,
  failures: {
    ...FAILURES,
    410: pageFailure("The link was used, has expired, or no longer holds; the page says which."),
  },
} as const;
const SENT = {
  access: "open",
  method: "POST",
  tag: "service",
  failures: {
    ...FAILURES,
    400: pageFailure("The password is not taken; the page says why, and the link is not used up."),
  },
} as const;
const FORM = { type: "application/x-www-form-urlencoded", schema: schemaRef("Form") } as const;

/** The pages, as the OpenAPI document describes them. */
export const INVITE_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    ...SHOWN,
    path: PATHS.invitation,
    id: "showInvitation",
    summary: "The page behind an invitation",
    description:
      "A page with buttons, or what became of the invitation. Opening it does not use the invitation up.",
  },
  {
    ...SENT,
    path: PATHS.invitation,
    id: "redeemInvitation",
    summary: "Redeem an invitation",
    description:
      "Uses the invitation up: an access key is made and shown, once; or, with `password` and `repeated`, a password is set.",
    body: { ...FORM, example: { token: "the-token-of-the-link" } },
    answer: { ...PAGE_ANSWER, description: "The access key with its secret." },
  },
  {
    ...SHOWN,
    path: PATHS.reset,
    id: "showReset",
    summary: "The page behind a mail for a new password",
    description: "A page with a form, or what became of the link. Opening it does not use the link up.",
  },
  {
    ...SENT,
    path: PATHS.reset,
    id: "redeemReset",
    summary: "Set a new password",
    description: "Uses the link up, sets the password and ends all sessions of the user.",
    body: {
      ...FORM,
      example: {
        token: "the-token-of-the-link",
        password: "an example of a password",
        repeated: "an example of a password",
      },
    },
    answer: { ...PAGE_ANSWER, description: "The page that says so." },
  },
];

/** The routes of the page. */
export function inviteRoutes(parts: InvitePageParts, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = {
    authenticate: ofThisSite(parts, false),
    refusal: (error, call) => failed(error, call, parts.audit),
  };
  return mount(api, [...routesOf("invitation", parts), ...routesOf("reset", parts)], counters);
}

function routesOf(kind: LinkKind, parts: InvitePageParts) {
  const path = PATHS[kind];
  const handle = pageHandler((app) => {
    app.get(path, async (_request, response) => send(response, await show(parts, callOf(response), kind)));
  });
  return [
    { method: "GET", path, head: true, priority: "bulk", handle },
    {
      method: "POST",
      path,
      priority: "bulk",
      body: formBody(MAX_FORM_BYTES, parts.limits),
      handle: (call: RawCall) => redeemOrExplain(parts, call, kind),
    },
  ] as const;
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
  { requestId: request_id, request }: Pick<RawCall, "requestId" | "request">,
  audit: AuditEvents,
): ErrorReply {
  if (!(error instanceof NotRedeemed)) return failureReply(error);
  audit.event("authentication_failed", { request_id, path: pathOf(request), message: error.message });
  return { ...errorReply(error), body: error.html, type: PAGE_TYPE, headers: PAGE_HEADERS };
}

/** Without the query, which has the token. */
function pathOf({ url = "" }: RawCall["request"]): string {
  return url.split("?", 1)[0] ?? "";
}

/** The page of a link: a button where the invitation is open, else what became of it. */
async function show(
  { invitations, setup, ownPasswords }: InvitePageParts,
  { query }: RawCall,
  kind: LinkKind,
): Promise<Page> {
  const token = query.get("token") ?? "";
  const state = await invitations.state(token, kind);
  const minLength = ownPasswords?.minLength;
  const isUsable = kind === "invitation" || minLength !== undefined;
  if (state === "open" && isUsable) return page(200, openingPage({ kind, token, minLength }));
  if (state === "open") return page(404, statePage("unknown", kind));
  if (state !== "unknown") return page(410, statePage(state, kind));
  return page(404, statePage(state, kind, await setup.isDone()));
}

/** @throws NotRedeemed */
async function redeemOrExplain(parts: InvitePageParts, call: RawCall, kind: LinkKind): Promise<Reply> {
  const form = call.body as Query;
  const token = form.get("token") ?? "";
  const wantsKey = kind === "invitation" && form.get("password") === undefined;
  try {
    if (!wantsKey) return await setPassword(parts, call, kind);
    const body = await redeem(parts, token, call);
    return pageReply(body);
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    const state = await parts.invitations.state(token, kind);
    throw new NotRedeemed(error, statePage(state === "open" ? "withdrawn" : state, kind));
  }
}

/** Sets the password of a form. One that is not taken does not use the link up. */
async function setPassword(parts: InvitePageParts, call: RawCall, kind: LinkKind): Promise<Reply> {
  const { directory, invitations, ownPasswords, proxies, audit } = parts;
  const form = call.body as Query;
  const [token = "", password = ""] = [form.get("token"), form.get("password")];
  const user = ownPasswords === undefined ? undefined : await invitations.openFor(token, kind);
  if (ownPasswords === undefined || user === undefined) {
    throw new AuthorizerError("not_found", "the link is unknown, was used or has expired");
  }
  const again = (problem: string): Reply => {
    const body = openingPage({ kind, token, minLength: ownPasswords.minLength, problem });
    return pageReply(body, 400);
  };
  if (password !== form.get("repeated")) return again("The two passwords are not the same. Type them again.");
  const source_ip = proxies.clientOf(call.request) ?? "";
  let give: () => Promise<void>;
  try {
    give = await ownPasswords.prepare(user, password, source_ip);
  } catch (error) {
    if (!isErrorCode(error, "invalid_request")) throw error;
    return again(`This cannot be your password: ${error.message}.`);
  }
  const operation = kind === "reset" ? "redeemReset" : "redeemInvitation";
  const { username } = user;
  const event = {
    actor: username,
    how: kind,
    request_id: call.requestId,
    source_ip,
    operation,
    user: username,
  };
  await auditingUnknown(
    () => invitations.redeem(token, kind, (linked) => directory.alsoJudged(sameAs(linked), give)),
    (outcome) => audit.event("write", { ...event, ...outcome }),
  );
  audit.event("write", { ...event, after: { password: "set" } });
  return pageReply(passwordSetPage(username));
}

/** Lets writes pass while the user of a link is as it has to be: the name may stand for somebody else by now. */
function sameAs({ username, email, userId, since }: LinkUser) {
  return async (state: JudgedState): Promise<void> => {
    // "not_found" for an inactive user.
    const session = await state.session(username);
    const user = await state.user(username);
    const isSince = since === undefined || session.since === since;
    if (session.userId === userId && user.email === email && isSince) return;
    throw new AuthorizerError("not_found", "the link was withdrawn while it was used");
  };
}

async function redeem(
  { directory, invitations, proxies, audit }: InvitePageParts,
  token: string,
  { request, requestId: request_id }: RawCall,
): Promise<string> {
  const source_ip = proxies.clientOf(request) ?? "";
  const origin = { how: "invitation", request_id, source_ip, operation: "redeemInvitation" };
  const ofLink = ({ username }: Pick<LinkUser, "username">) => ({
    actor: username,
    ...origin,
    user: username,
  });
  const key = await invitations.redeem(token, "invitation", (linked) =>
    auditingUnknown(
      () => directory.alsoJudged(sameAs(linked), () => directory.credentials.create(linked.username)),
      (outcome) => audit.event("write", { ...ofLink(linked), ...outcome }),
    ),
  );
  const { username, access_key_id, creation_date, secret_access_key } = key;
  const ofUser = ofLink(key);
  audit.event("write", { ...ofUser, after: { access_key_id, creation_date } });
  audit.event("secret_read", { ...ofUser, access_key_id });
  return keyPage({ username, access_key_id, secret_access_key });
}
