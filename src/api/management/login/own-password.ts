/** The change of one's own password (spec/sign-in §6). */

import type { Reply } from "../../../http/route.ts";
import { WrongPassword } from "../../../sign-in/password-sign-in.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import { BASE_PATH, json, NO_STORE } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import { bodyOf, type ManagementDeclaration, type ManagementParts } from "../declaration.ts";
import { notImplemented, PermissionRefused } from "../errors.ts";
import { SESSION, TOKEN_ANSWER } from "./declared.ts";
import { proofOf, signedInCookies } from "./proof.ts";

/** The operation. */
export const OWN_PASSWORD_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    ...SESSION,
    access: "user",
    method: "PUT",
    id: "changePassword",
    path: `${BASE_PATH}/user/password`,
    summary: "Change one's own password",
    description:
      "Where `authorizer.passwords.enabled` is true. All sessions of the user end; the answer is a new login token, which is set as cookie where the caller came with the cookie. Who has no password yet asks for a mail.",
    body: bodyOf("PasswordChange", {
      password: "an example of a password",
      new_password: "another example of a password",
    }),
    answer: { ...TOKEN_ANSWER, headers: NO_STORE_HEADER },
    errors: [403, 409, 429, 501],
    handler: (parts) => {
      const wrong = new WeakSet<object>();
      return (call) => changePassword(call, parts, wrong);
    },
  },
];

/** The body, after its shape was validated. */
interface PasswordChange {
  readonly password: string;
  readonly new_password: string;
}

/** @param wrong requests with a wrong password, which is looked at again where it may have become the right one */
async function changePassword(
  call: UserCall,
  parts: ManagementParts,
  wrong: WeakSet<object>,
): Promise<Reply> {
  const { ownPasswords, passwordSignIn, identities, audit } = parts;
  if (ownPasswords === undefined || passwordSignIn === undefined) throw notImplemented();
  const { password, new_password: next } = call.body as PasswordChange;
  const { username, userId } = call.caller.identity;
  const attempt = { username, password, source: call.caller.sourceIp };
  let since: string;
  const isAgain = wrong.has(call.request);
  try {
    const compare = (assertAllowed: () => void) => ownPasswords.change(attempt, next, assertAllowed);
    ({ since } = await passwordSignIn.counted(attempt, compare, isAgain));
  } catch (error) {
    if (!(error instanceof WrongPassword)) throw error;
    wrong.add(call.request);
    const fields = { how: "password", operation: "changePassword" };
    if (!isAgain) audit.event("authentication_failed", username, call, fields);
    if (error.retryAfterSeconds !== undefined) throw error;
    const message = "the present password is not valid";
    throw new PermissionRefused(message, 403, [{ pointer: "/password", message }]);
  }
  audit.wrote(call, "changePassword", { user: username });
  const issued = await identities.issueLoginToken({
    username,
    userId,
    since,
    origin: { how: "password", source: call.caller.sourceIp },
  });
  const proof = proofOf(call.request);
  const isCookie = proof?.kind === "token" && proof.fromCookie;
  const cookies = isCookie ? signedInCookies(call.request, issued, parts) : [];
  const { token, expiresAt } = issued;
  return json(200, { token, token_expiration: expiresAt }, [...NO_STORE, ...cookies]);
}
