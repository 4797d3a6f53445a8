/** Access keys in the management API (permissions.md §12). */

import { AuthorizerError } from "../../errors.ts";
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
import type { Escalation, Grant, Judged } from "./escalation.ts";
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

async function create(call: UserCall, { directory, audit, escalation }: ManagementParts): Promise<Reply> {
  const user = param(call, 0);
  const grant = actingAs(user, "creating credentials for");
  const { result: made, warnings } = await checkActingAs(call, escalation, grant, () =>
    directory.credentials.create(user),
  );
  const { access_key_id, creation_date } = made;
  audit.wrote(call, "createCredentials", { user, after: { access_key_id, creation_date } });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
  return json(201, secretBody(made), [...NO_STORE, ...warnings]);
}

/** A grant of acting as another user. */
export interface ActingAs extends Grant {
  readonly actsAs: string;
}

/** A caller with another user's credentials could act as that user, so the policies of the two are compared. */
export function actingAs(user: string, doing: string): ActingAs {
  return {
    what: `${doing} ${JSON.stringify(user)}`,
    actsAs: user,
    policies: async (state) => {
      const principal = await state.principal(user);
      if (principal === undefined) throw new AuthorizerError("not_found", "the user does not exist");
      return principal.policies;
    },
  };
}

/** Runs a write that lets the caller act as a user, unless the caller is that user or holds too little. */
export async function checkActingAs<T>(
  call: UserCall,
  escalation: Escalation,
  grant: ActingAs,
  write: () => Promise<T>,
): Promise<Judged<T>> {
  if (grant.actsAs === call.caller.identity.username) return { result: await write(), warnings: [] };
  return escalation.checkGrant(call, grant, write);
}
