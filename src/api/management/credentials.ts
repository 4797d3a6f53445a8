/** Access keys in the management API (permissions.md §12). */

import type { Reply } from "../../http/route.ts";
import { EXAMPLE_TIME, NO_STORE_HEADER, WARNING_HEADER } from "../rest/declared.ts";
import { BASE_PATH, json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { credentialBody } from "../rest/shapes.ts";
import type { UserCall } from "./call.ts";
import {
  answerWith,
  answerWithPage,
  CREATE,
  LIST,
  type ManagementParts,
  READ,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import { secretBody } from "./shapes.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/credentials`;
const ONE = `${OF_USER}/{accessKeyId}`;
const TAG = { tag: "credentials" } as const;
const ABOUT = { ...TAG, missing: "credentials not found" } as const;
const EXAMPLE = { access_key_id: "AKIAJEXAMPLEEXAMPLEQ", creation_date: EXAMPLE_TIME };

/** The example of an access key with its secret. */
export const EXAMPLE_WITH_SECRET = {
  ...EXAMPLE,
  secret_access_key: "example-secret-example-secret-example-00",
};

/** The operations. */
export const CREDENTIAL_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUserCredentials",
    path: OF_USER,
    summary: "List access keys",
    description: "All access keys of the user, without their secrets.",
    answer: answerWithPage("CredentialsList", EXAMPLE),
    errors: [400, 404],
    handler:
      ({ directory: { credentials } }) =>
      (call) =>
        listReply(call, (page) => credentials.list(param(call, 0), page), credentialBody),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createCredentials",
    path: OF_USER,
    summary: "Create an access key",
    description: "The answer is the only one that shows the secret. The request has no body.",
    answer: {
      ...answerWith(201, "CredentialsWithSecret", EXAMPLE_WITH_SECRET),
      headers: { ...NO_STORE_HEADER, ...WARNING_HEADER },
    },
    errors: [403, 404],
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...ABOUT,
    id: "getCredentials",
    path: ONE,
    summary: "Get an access key, without its secret",
    description: "One access key, if it belongs to the user.",
    answer: answerWith(200, "Credentials", EXAMPLE),
    handler:
      ({ directory: { credentials } }) =>
      async (call) =>
        json(200, credentialBody(await credentials.get(param(call, 0), param(call, 1)))),
  },
  {
    ...REMOVE,
    ...ABOUT,
    id: "deleteCredentials",
    path: ONE,
    summary: "Delete an access key",
    description: "The key stops working at once, and so do login tokens that were issued for it.",
    answer: { status: 204, description: "Done." },
    handler:
      ({ directory: { credentials }, audit }) =>
      async (call) => {
        const before = await credentials.get(param(call, 0), param(call, 1));
        await credentials.delete(before.username, before.access_key_id);
        audit.wrote(call, "deleteCredentials", { user: before.username, before });
        return NO_CONTENT;
      },
  },
];

async function create(
  call: UserCall,
  { directory, audit, escalation, holdings }: ManagementParts,
): Promise<Reply> {
  const user = param(call, 0);
  const warnings = await judgeActingAs(call, user, "creating credentials for", escalation, holdings);
  const made = await directory.credentials.create(user);
  const { access_key_id, creation_date } = made;
  audit.wrote(call, "createCredentials", { user, after: { access_key_id, creation_date } });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
  return json(201, secretBody(made), [...NO_STORE, ...warnings]);
}

/** A caller with another user's credentials could act as that user, so the policies of the two are compared. */
export async function judgeActingAs(
  call: UserCall,
  user: string,
  doing: string,
  escalation: Escalation,
  holdings: Holdings,
): Promise<readonly string[]> {
  if (user === call.caller.identity.username) return [];
  return escalation.checkGrant(call, {
    what: `${doing} ${JSON.stringify(user)}`,
    actsAs: user,
    policies: () => holdings.ofUser(user),
  });
}
