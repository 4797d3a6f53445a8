/** `GET /auth/session`: who the caller is, who vouched, and where each membership came from (spec/sign-in §1). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { BASE_PATH, json, NO_STORE } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { UserCall } from "../call.ts";
import type { ManagementDeclaration, ManagementParts } from "../declaration.ts";
import { AuthenticationFailed } from "./proof.ts";

/** Most memberships that an answer has. */
const MOST_GROUPS = 1_000;

/** The operation. */
export const SESSION_FACTS_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    access: "user",
    tag: "sessions",
    priority: "bulk",
    method: "GET",
    id: "getSession",
    path: `${BASE_PATH}/auth/session`,
    summary: "The session of the caller",
    description:
      "Who the caller is, the identity provider that vouched, when the session ends, and where each membership came from.",
    answer: answerWith(200, "Session", {
      user: "alice",
      how: "login_token",
      provider: { name: "corp", title: "Example" },
      external_id: "corp:00u1",
      expires_at: 1_790_000_000,
      has_password: false,
      groups: [
        { name: "data-a", from: "identity_provider", provider: "corp" },
        { name: "Viewers", from: "directory" },
      ],
      sign_out_url: "/login",
      more_groups: false,
    }),
    handler: (parts) => (call) => session(call, parts),
  },
];

async function session(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const { identity } = call.caller;
  const { directory, signIn, passwordSignIn, ownPasswords } = parts;
  const { username, how, issuer, expiresAt } = identity;
  try {
    const { external_id, source } = await directory.users.get(username);
    const memberships = await directory.users.memberships(username, MOST_GROUPS + 1);
    const ways = [...(signIn?.ways ?? []), ...(passwordSignIn?.ways ?? [])];
    const title = ways.find((way) => way.name === issuer)?.title ?? issuer;
    return json(
      200,
      {
        user: username,
        how,
        ...(issuer !== undefined && { provider: { name: issuer, title } }),
        ...(external_id !== undefined && { external_id }),
        ...(source !== undefined && { source }),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        has_password: ownPasswords !== undefined && (await directory.passwords.find(username)) !== undefined,
        groups: memberships.slice(0, MOST_GROUPS).map(({ group, by, managed }) => ({
          name: group,
          from: by !== undefined ? "identity_provider" : managed ? "data_set" : "directory",
          ...(by !== undefined && { provider: by }),
        })),
        sign_out_url: await signOutUrl(call, parts),
        more_groups: memberships.length > MOST_GROUPS,
      },
      NO_STORE,
    );
  } catch (error) {
    // Deleted a moment ago, while the proof was still remembered.
    if (isErrorCode(error, "not_found")) throw new AuthenticationFailed();
    throw error;
  }
}

/** The address to go to after the sign-out here. */
async function signOutUrl(
  { caller: { identity }, request }: UserCall,
  { signIn, logoutUrl }: ManagementParts,
): Promise<string> {
  const origin = signIn?.originOf(request.headers.host);
  const elsewhere =
    signIn === undefined || identity.issuer === undefined || origin === undefined
      ? undefined
      : await signIn.signOutUrl(identity.issuer, origin);
  return elsewhere ?? logoutUrl;
}
