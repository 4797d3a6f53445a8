/** `/sign-in`: the ways to sign in as a page without scripts, with a form for names and passwords (spec/sign-in §1). */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { formBody } from "../../../http/body/form-body.ts";
import type { HttpLimits } from "../../../http/limits.ts";
import type { Described } from "../../../http/openapi/document.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import type { Query } from "../../../http/request/query.ts";
import { type Api, type MountedRoute, mount, type RawCall, type Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { Identities } from "../../../identity/identity.ts";
import { nextPath } from "../../../sign-in/next-path.ts";
import type { PasswordSignIn } from "../../../sign-in/password-sign-in.ts";
import type { SignIn } from "../../../sign-in/sign-in.ts";
import type { AuditEvents } from "../../rest/ports.ts";
import { loggedIn } from "../login/password-login.ts";
import { AuthenticationFailed, signedInCookies } from "../login/proof.ts";
import { failureReply, PAGE_HEADERS, page, pageReply } from "../page-html.ts";
import { ofThisSite, PAGE_ANSWER, PAGE_FAILURES } from "../page-operation.ts";
import { signInAddress } from "./oidc-routes.ts";
import { wayLinks } from "./sign-in-html.ts";

/** The path of the page. */
const FORM_PATH = "/sign-in";
const MAX_FORM_BYTES = 8_192;
const WRONG = "This is not right. Check both texts, also upper and lower case.";

/** Parts of the page. */
interface FormParts {
  /** undefined if no identity provider signs people in. */
  readonly signIn: SignIn | undefined;
  /** undefined where no way to sign in takes a password. */
  readonly passwordSignIn: PasswordSignIn | undefined;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
  readonly cookieDomain: string;
  readonly audit: AuditEvents;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const DESCRIBED = { access: "open", path: FORM_PATH, tag: "sessions", failures: PAGE_FAILURES } as const;

/** The page, as the OpenAPI document describes it. */
export const FORM_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    ...DESCRIBED,
    method: "GET",
    id: "showSignInForm",
    summary: "The page on which people sign in without scripts",
    description: "Offers the identity providers, and a form for names and passwords.",
    query: [
      {
        name: "next",
        in: "query",
        description: "The path of this origin to go to afterwards.",
        schema: { type: "string" },
        example: "/device",
      },
    ],
    answer: PAGE_ANSWER,
  },
  {
    ...DESCRIBED,
    method: "POST",
    id: "signInByForm",
    summary: "Sign in with the form",
    description: "Sets the login cookie and leads on (303). Takes forms of pages of this origin alone.",
    body: {
      type: "application/x-www-form-urlencoded",
      schema: schemaRef("SignInForm"),
      example: { name: "alice", secret: "an example of a password", next: "/device" },
    },
    answer: PAGE_ANSWER,
  },
];

/** The routes of the page. */
export function formRoutes(parts: FormParts, counters: HttpCounters): readonly MountedRoute[] {
  // Else another site could sign somebody in as somebody else.
  const api: Api = { authenticate: ofThisSite(parts, true), refusal: failureReply };
  return mount(
    api,
    [
      {
        method: "GET",
        path: FORM_PATH,
        priority: "bulk",
        handle: async ({ query }) => pageReply(formPage(parts, nextPath(query.get("next")))),
      },
      {
        method: "POST",
        path: FORM_PATH,
        priority: "bulk",
        reads: true,
        body: formBody(MAX_FORM_BYTES, parts.limits),
        handle: (call) => signIn(parts, call),
      },
    ],
    counters,
  );
}

async function signIn(parts: FormParts, call: RawCall): Promise<Reply> {
  const { identities, audit, proxies } = parts;
  const { request, requestId: request_id } = call;
  const form = call.body as Query;
  const next = nextPath(form.get("next"));
  const source = proxies.clientOf(request) ?? "";
  const of = { request_id, source_ip: source };
  try {
    const { identity, fields } = await loggedIn(parts, {
      name: (form.get("name") ?? "").trim(),
      secret: form.get("secret") ?? "",
      source,
      onAway: (fault) => audit.event("authentication_failed", { ...of, ...fault }),
      onUnknown: (fields) => audit.event("login", { ...of, ...fields }),
    });
    const origin = { how: fields.how, source };
    const issued = await identities.issueLoginToken({ ...identity, origin });
    audit.event("login", { actor: identity.username, ...fields, ...of });
    const cookies = signedInCookies(request, issued, parts);
    return { status: 303, headers: [...PAGE_HEADERS, "Location", next, ...cookies] };
  } catch (error) {
    if (!(error instanceof AuthenticationFailed)) throw error;
    const { accessKeyId: access_key_id, fields, retryAfterSeconds } = error;
    audit.event("authentication_failed", { ...of, ...(access_key_id && { access_key_id }), ...fields });
    const text = error.fields["reason"] === undefined ? WRONG : error.message;
    const reply = pageReply(formPage(parts, next, text), retryAfterSeconds === undefined ? 401 : 429);
    return retryAfterSeconds === undefined
      ? reply
      : { ...reply, headers: [...PAGE_HEADERS, "Retry-After", String(retryAfterSeconds)] };
  }
}

function formPage({ signIn: providers, passwordSignIn }: FormParts, next: string, wrong?: string): string {
  const links = wayLinks(providers?.ways ?? [], (way) => signInAddress(way, next));
  const alert = wrong === undefined ? "" : `<p role="alert">${escapeHtml(wrong)}</p>`;
  const [name, secret] =
    passwordSignIn === undefined
      ? ["Access key ID", "Secret access key"]
      : ["User name, or access key ID", "Password, or secret access key"];
  return page(
    "Sign in",
    `${links}${alert}<form method="post" action="sign-in"><p><label for="name">${name}</label> <input id="name" name="name" required maxlength="1024" autocomplete="username" autocapitalize="none" spellcheck="false"></p><p><label for="secret">${secret}</label> <input id="secret" name="secret" type="password" required maxlength="1024" autocomplete="current-password"></p><input type="hidden" name="next" value="${escapeHtml(next)}"><p><button type="submit">Sign in</button></p></form>`,
  );
}
