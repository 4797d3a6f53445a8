/** Mails for new passwords: asked for by an address, and sent by an administrator (spec/sign-in §6). */

import type { Reply } from "../../../http/route.ts";
import { BASE_PATH, NO_CONTENT, param } from "../../rest/operation.ts";
import type { OpenCall, UserCall } from "../call.ts";
import { bodyOf, type ManagementDeclaration, type ManagementParts } from "../declaration.ts";
import { notImplemented } from "../errors.ts";
import { SESSION } from "./declared.ts";

const SENT = { status: 204, description: "Done." } as const;

/** The operations. */
export const FORGOTTEN_PASSWORD_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    ...SESSION,
    access: "open",
    method: "POST",
    id: "forgotPassword",
    path: `${BASE_PATH}/auth/password/forgot`,
    summary: "Ask for a mail with which one sets a new password",
    description:
      "Where the service keeps passwords and can send mails. The answer is the same whether a user has the address or not. A link works once, for an hour; a user gets three mails in an hour at most.",
    body: bodyOf("ForgottenPassword", { email: "alice@example.com" }),
    answer: SENT,
    errors: [403, 429, 501],
    handler: (parts) => (call) => forgotPassword(call, parts),
  },
  {
    ...SESSION,
    access: "permitted",
    row: "createCredentials",
    method: "POST",
    id: "resetPassword",
    path: `${BASE_PATH}/auth/users/{userId}/password/reset`,
    summary: "Send a user a mail for a new password",
    description:
      "To the stored address; nobody but the user gets the link. Needs the right to create access keys for the user.",
    answer: SENT,
    errors: [400, 403, 404, 501],
    handler: (parts) => (call) => resetPassword(call, parts),
  },
];

async function forgotPassword(call: OpenCall, parts: ManagementParts): Promise<Reply> {
  const { passwordResets, passwordSignIn } = parts;
  if (passwordResets === undefined || passwordSignIn === undefined) throw notImplemented();
  const { request } = call;
  // Who asks for many addresses is stopped like who tries many passwords. A call that runs again is counted already.
  if (!passwordResets.hasAsked(request)) passwordSignIn.countRequest(call.caller.sourceIp);
  const { email } = call.body as { readonly email: string };
  passwordResets.ask(email, request);
  return NO_CONTENT;
}

async function resetPassword(call: UserCall, { passwordResets, audit }: ManagementParts): Promise<Reply> {
  if (passwordResets === undefined) throw notImplemented();
  const user = param(call, 0);
  await passwordResets.send(user);
  audit.wrote(call, "resetPassword", { user });
  return NO_CONTENT;
}
