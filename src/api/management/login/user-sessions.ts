/** The sessions of a user: which there are, the end of one, and of all (spec/security §4.4). */

import type { Directory } from "../../../directory/directory.ts";
import type { Reply } from "../../../http/route.ts";
import { EXAMPLE_TIME } from "../../rest/declared.ts";
import { BASE_PATH, NO_CONTENT, param } from "../../rest/operation.ts";
import { answerWithPage, LIST } from "../../rest/operation-kinds.ts";
import { listReply } from "../../rest/pages.ts";
import type { UserCall } from "../call.ts";
import type { ManagementDeclaration, ManagementParts } from "../declaration.ts";
import { SESSION } from "./declared.ts";

type IssuedSession = Awaited<ReturnType<Directory["issuedSessions"]["end"]>>;

const OF_USER = `${BASE_PATH}/auth/users/{userId}/sessions`;
const MISSING = "user not found";
const ENDING = {
  ...SESSION,
  access: "permitted",
  row: "deleteCredentials",
  method: "DELETE",
  answer: { status: 204, description: "Done." },
  errors: [403, 404],
} as const;

/** The operations. */
export const USER_SESSION_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    ...LIST,
    ...SESSION,
    access: "permitted",
    row: "listUserCredentials",
    id: "listSessions",
    path: OF_USER,
    summary: "List the sessions of a user",
    description:
      "The login tokens that this service issued and that hold, the oldest first; the newest hundred of a user are kept. Those of a data server's own log-in are not among them. Needs the right to list access keys of the user.",
    errors: [400, 403, 404],
    missing: MISSING,
    answer: answerWithPage("UserSessionList", {
      id: "01m3x8k2v07zq4n5w9r6t1y2pc",
      how: "openid_connect",
      provider: "corp",
      source_ip: "192.0.2.1",
      created_at: EXAMPLE_TIME,
      expires_at: EXAMPLE_TIME + 604_800,
      is_current: false,
    }),
    handler: (parts) => (call) => listSessions(call, parts),
  },
  {
    ...ENDING,
    id: "endSession",
    path: `${OF_USER}/{sessionId}`,
    summary: "End one session of a user",
    description:
      "Its login token holds no longer, at all listeners; the others do. Needs the right to delete access keys of the user.",
    missing: "session not found",
    handler: (parts) => (call) => endSession(call, parts),
  },
  {
    ...ENDING,
    id: "endSessions",
    path: OF_USER,
    summary: "End all sessions of a user",
    description:
      "Login tokens and session cookies of the user hold no longer, at all listeners, nor do access keys that were issued for tokens of identity providers, which no list has; other access keys and the password stay. Needs the right to delete access keys of the user.",
    missing: MISSING,
    handler: (parts) => (call) => endSessions(call, parts),
  },
];

function listSessions(call: UserCall, { directory: { issuedSessions } }: ManagementParts): Promise<Reply> {
  const { tokenId } = call.caller.identity;
  return listReply(
    call,
    (asked) => issuedSessions.list(param(call, 0), asked),
    (session) => ({ ...sessionBody(session), is_current: session.id === tokenId }),
  );
}

async function endSession(call: UserCall, { directory, audit }: ManagementParts): Promise<Reply> {
  const user = param(call, 0);
  const ended = await directory.issuedSessions.end(user, param(call, 1));
  audit.wrote(call, "endSession", { user, before: sessionBody(ended) });
  return NO_CONTENT;
}

async function endSessions(call: UserCall, { directory, audit }: ManagementParts): Promise<Reply> {
  const user = param(call, 0);
  await directory.sessions.end(user);
  audit.wrote(call, "endSessions", { user });
  return NO_CONTENT;
}

function sessionBody({ id, how, issuer, accessKeyId, source, issuedAt, expiresAt }: IssuedSession) {
  return {
    id,
    ...(how !== undefined && { how }),
    ...(issuer !== undefined && { provider: issuer }),
    ...(accessKeyId !== undefined && { access_key_id: accessKeyId }),
    ...(source !== undefined && { source_ip: source }),
    created_at: issuedAt,
    expires_at: expiresAt,
  };
}
