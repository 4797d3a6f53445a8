/**
 * The remote authenticator of a data server: it sends what its users type, every unknown or wrong access key with its secret
 * among it, so that nothing of that is kept, logged, or answered differently (spec/sign-in §4).
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Described } from "../../http/openapi/document.ts";
import type { Schemas } from "../../http/openapi/openapi-types.ts";
import type { RawCall, Reply } from "../../http/route.ts";
import { object, schemaRef, text } from "../../http/schema/schema-forms.ts";
import { REMOTE_MARK } from "../../sign-in/ask-remote.ts";
import type { PasswordSignIn } from "../../sign-in/password-sign-in.ts";
import { WrongPassword } from "../../sign-in/password-sign-in.ts";
import { SignInRefused } from "../../sign-in/sign-in.ts";
import { NO_STORE } from "../rest/operation.ts";
import type { AuditEvents, AuditedFields } from "../rest/ports.ts";

/** Parts of the call. */
interface RemoteLoginParts {
  /** undefined where no way to sign in takes a password. */
  readonly passwords: Pick<PasswordSignIn, "signIn"> | undefined;
  readonly audit: AuditEvents;
}

/** The operation, as the OpenAPI document describes it. */
export const REMOTE_LOGIN_OPERATION: Described = {
  tag: "authentication",
  method: "POST",
  path: "/authentication/v1/remote",
  id: "remoteLogin",
  summary: "Whose name and password these are",
  description:
    "What a data server of `authorizer.authentication_api.trusted_servers` has as `auth.remote_authenticator.endpoint`. The user is there before the answer.",
  body: {
    schema: schemaRef("RemoteLogin"),
    example: { username: "alice", password: "a long password of hers" },
  },
  answer: {
    status: 200,
    description: "The user, by its name here.",
    schema: schemaRef("RemoteUser"),
    example: { external_user_identifier: "alice" },
  },
  errors: [400, 401, 403, 413, 415, 500, 501, 503],
};

/** Schemas of the operation. */
export const REMOTE_LOGIN_SCHEMAS: Schemas = {
  RemoteLogin: object({ username: text("As it was typed."), password: text("As it was typed.") }),
  RemoteUser: object({ external_user_identifier: text("Name of the user.") }),
};

/** Answers a call. */
export async function remoteLogin({ passwords, audit }: RemoteLoginParts, call: RawCall): Promise<Reply> {
  if (passwords === undefined) throw new RequestRefused(501, "no way to sign in takes a password");
  refuseOwn(call);
  const { username, password } = typedIn(call.body);
  const source = call.caller.name;
  const origin = { request_id: call.requestId, source_ip: source, how: "remote_authenticator" };
  try {
    const { identity, way, isNew } = await passwords.signIn({
      username,
      password,
      source,
      isForwarded: true,
      onUnknown: (person) => audit.event("login", { ...origin, ...person, outcome: "unknown" }),
    });
    audit.event("login", { actor: identity.username, ...origin, issuer: way.name, created: isNew });
    const body = JSON.stringify({ external_user_identifier: identity.username });
    return { status: 200, body, headers: NO_STORE };
  } catch (error) {
    if (!(error instanceof SignInRefused) && !(error instanceof WrongPassword)) throw error;
    // The name as it was typed may be an access key, or a secret in the wrong field.
    audit.event("authentication_failed", { ...origin, ...refusalFields(error) });
    if (error instanceof SignInRefused && (error.reason === "provider_away" || error.reason === "busy"))
      throw new AuthorizerError("unavailable", "passwords cannot be compared now", { cause: error });
    throw new AuthorizerError("unauthenticated", "the user name or the password is not valid");
  }
}

/** The user, where there is one of the name, or whom another server knows; with that server and the reason. */
function refusalFields(error: SignInRefused | WrongPassword): AuditedFields {
  const user = error.username === undefined ? {} : { user: error.username };
  if (error instanceof WrongPassword) return user;
  return { ...user, reason: error.reason, ...(error.way !== undefined && { issuer: error.way.name }) };
}

/**
 * Refuses what a service of this kind asks.
 * @throws RequestRefused
 */
export function refuseOwn({ request }: RawCall): void {
  if (request.headers[REMOTE_MARK] !== undefined)
    throw new RequestRefused(403, "this service asks nobody for itself", [], "not_allowed");
}

/** @throws RequestRefused for a body of another form */
function typedIn(body: unknown): { readonly username: string; readonly password: string } {
  const members = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const { username, password } = members as Readonly<Record<string, unknown>>;
  if (typeof username === "string" && typeof password === "string") return { username, password };
  throw new RequestRefused(400, "expected username and password");
}
