/**
 * `sts/login`: a client of a data server brings the code of a sign-in with a provider; the data server gets the claims, and
 * finds the user by `sub` (spec/sign-in §3).
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Described } from "../../http/openapi/document.ts";
import type { Schemas } from "../../http/openapi/openapi-types.ts";
import type { RawCall, Reply } from "../../http/route.ts";
import { object, schemaRef, text } from "../../http/schema/schema-forms.ts";
import { type SignIn, SignInRefused } from "../../sign-in/sign-in.ts";
import { NO_STORE } from "../rest/operation.ts";
import type { AuditEvents } from "../rest/ports.ts";

/** The exchange of codes. */
export interface CodeExchange {
  readonly signIn: Pick<SignIn, "withCode">;
  /** Name of the one issuer. */
  readonly issuer: string;
  readonly redirectUris: ReadonlySet<string>;
}

interface StsLoginParts {
  readonly codes: CodeExchange | undefined;
  readonly audit: AuditEvents;
}

const PATH = "/authentication/v1/sts/login";
const LONGEST = 8_192;

/** The operation, as the OpenAPI document describes it. */
export const STS_LOGIN_OPERATION: Described = {
  tag: "authentication",
  method: "POST",
  path: PATH,
  id: "stsLogin",
  summary: "Find the user of a code of an identity provider",
  description:
    "For data servers of `authorizer.authentication_api.trusted_servers`. `state` is the verifier of PKCE. The answer's `sub` is the user's external id here.",
  body: {
    schema: schemaRef("StsLogin"),
    example: { code: "c0de", redirect_uri: "http://127.0.0.1:9000/callback", state: "the-verifier" },
  },
  answer: {
    status: 200,
    description: "The claims that are texts.",
    schema: schemaRef("StsClaims"),
    example: { claims: { sub: "corp:00u1" } },
  },
  errors: [400, 401, 403, 413, 415, 500, 501, 503],
};

/** Schemas of the operation. */
export const STS_LOGIN_SCHEMAS: Schemas = {
  StsLogin: object(
    {
      code: text("The authorization code."),
      redirect_uri: text("One of `authorizer.authentication_api.sts_redirect_uris`."),
      state: text("The verifier of PKCE."),
    },
    ["code", "redirect_uri", "state"],
  ),
  StsClaims: object({ claims: { type: "object", additionalProperties: { type: "string" } } }),
};

/** Answers a call. */
export async function stsLogin({ codes, audit }: StsLoginParts, call: RawCall): Promise<Reply> {
  if (codes === undefined)
    throw new RequestRefused(501, "authorizer.authentication_api.sts_issuer is not set");
  const { issuer } = codes;
  const origin = { request_id: call.requestId, source_ip: call.caller.name, how: "sts_login", issuer };
  const code = codeIn(call.body, codes);
  try {
    const found = await codes.signIn.withCode(issuer, code, {
      source: call.caller.name,
      onUnknown: (person) => audit.event("login", { ...origin, ...person, outcome: "unknown" }),
    });
    audit.event("login", { actor: found.username, ...origin, created: found.isNew });
    const claims = { ...Object.fromEntries(found.claims), sub: found.externalId };
    return { status: 200, body: JSON.stringify({ claims }), headers: NO_STORE };
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    const { reason, username } = error;
    const user = username === undefined ? {} : { user: username };
    audit.event("authentication_failed", { ...origin, ...user, reason });
    if (reason === "provider_away" || reason === "busy")
      throw new AuthorizerError("unavailable", "the provider cannot be asked now", { cause: error });
    throw new AuthorizerError("unauthenticated", "the code signs nobody in here", { cause: error });
  }
}

/** @throws RequestRefused for a body of another form, and for an address of which nobody configured anything */
function codeIn(body: unknown, { redirectUris }: CodeExchange) {
  const members = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const { code, redirect_uri: redirectUri, state: verifier, ...more } = members as Record<string, unknown>;
  const isWhole = [code, redirectUri, verifier].every(
    (value) => typeof value === "string" && value !== "" && value.length <= LONGEST,
  );
  if (!isWhole || Object.keys(more).length > 0)
    throw new RequestRefused(400, "expected code, redirect_uri and state, and nothing else");
  if (!redirectUris.has(redirectUri as string))
    throw new RequestRefused(
      400,
      "redirect_uri: authorizer.authentication_api.sts_redirect_uris does not have it",
    );
  return { code: code as string, redirectUri: redirectUri as string, verifier: verifier as string };
}
