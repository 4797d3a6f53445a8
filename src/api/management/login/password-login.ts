/** Log-in with an access key, or with the name and the password of a person (spec/sign-in §1, spec/sign-in §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Identities, Identity } from "../../../identity/identity.ts";
import { looksLikeKeyId, type PasswordSignIn, WrongPassword } from "../../../sign-in/password-sign-in.ts";
import { type OnUnknown, SignInRefused } from "../../../sign-in/sign-in.ts";
import type { AuditedFields } from "../../rest/ports.ts";
import { refusalText } from "../sign-in/refusal-texts.ts";
import { AuthenticationFailed, authenticate } from "./proof.ts";

/** Parts of a log-in. */
interface LoginParts {
  readonly identities: Identities;
  /** undefined where no way to sign in takes a password. */
  readonly passwordSignIn: PasswordSignIn | undefined;
}

/** The texts that somebody types at a log-in: the id of an access key with its secret, or a name and a password. */
interface Typed {
  readonly name: string;
  readonly secret: string;
  readonly source: string;
  /** Told where nobody can tell at present, with the fields for the audit log. */
  readonly onAway: (fields: AuditedFields) => void;
  /** Told where nobody knows whether a user was made or changed, with the fields for the audit log. */
  readonly onUnknown: (fields: AuditedFields) => void;
}

/** A user who logged in, with what the audit log has of it. */
interface LoggedIn {
  readonly identity: Pick<Identity, "username" | "userId" | "accessKeyId" | "issuer"> & {
    readonly since?: string;
  };
  readonly fields: AuditedFields & { readonly how: string };
}

/**
 * The user of what somebody typed: an access key first, since that costs little.
 * @throws AuthenticationFailed; "unavailable" where nobody can tell
 */
export async function loggedIn({ identities, passwordSignIn }: LoginParts, typed: Typed): Promise<LoggedIn> {
  const { name, secret, source } = typed;
  try {
    const proof = { kind: "access_key", accessKeyId: name, secret } as const;
    const identity = await authenticate(identities, proof, source);
    return { identity, fields: { how: identity.how, with_key: name } };
  } catch (error) {
    if (!(error instanceof AuthenticationFailed)) throw error;
    if (passwordSignIn === undefined || looksLikeKeyId(name)) throw error;
  }
  return withPassword(passwordSignIn, typed);
}

/**
 * The user of a name and a password.
 * @throws AuthenticationFailed; "unavailable" where nobody can tell
 */
async function withPassword(signIn: PasswordSignIn, typed: Typed): Promise<LoggedIn> {
  const { name: username, secret: password, source, onAway } = typed;
  const onUnknown: OnUnknown = (person) =>
    typed.onUnknown({ how: "password", ...person, outcome: "unknown" });
  try {
    const { identity, way, isNew } = await signIn.signIn({ username, password, source, onUnknown });
    return { identity, fields: { how: "password", issuer: way.name, ...(isNew && { created: true }) } };
  } catch (error) {
    if (error instanceof WrongPassword) throw failedPassword(error);
    if (error instanceof SignInRefused) throw refusedPerson(error, onAway);
    throw error;
  }
}

function failedPassword(cause: WrongPassword): AuthenticationFailed {
  const { username: user } = cause;
  return new AuthenticationFailed(undefined, cause, { how: "password", ...(user !== undefined && { user }) });
}

/** A person whom a way knows, and who may not come in. */
function refusedPerson(refusal: SignInRefused, onAway: Typed["onAway"]): AuthorizerError {
  const { reason, way, username } = refusal;
  const text = refusalText(reason, way?.title, username);
  const fields = {
    how: "password",
    reason,
    ...(way !== undefined && { issuer: way.name }),
    ...(username !== undefined && { user: username }),
  };
  if (reason === "provider_away" || reason === "busy") {
    onAway(fields);
    return new AuthorizerError("unavailable", text, { cause: refusal, retryAfterSeconds: 60 });
  }
  return new AuthenticationFailed(undefined, refusal, fields, text);
}
