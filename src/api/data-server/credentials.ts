/** Access keys (authorization-api.md §7, operations 19 to 23). */

import { AuthorizerError } from "../../errors.ts";
import type { Parameter } from "../../http/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import type { CredentialWithSecret } from "../../model/entities.ts";
import { EXAMPLE_TIME, NO_STORE_HEADER } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { credentialBody } from "../rest/shapes.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWith,
  answerWithPage,
  CREATE,
  type DataServerDeclaration,
  type DataServerParts,
  LIST,
  READ,
  REMOVE,
} from "./declaration.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/credentials`;
const ONE = `${OF_USER}/{accessKeyId}`;
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([
  ["/access_key_id", "access_key"],
  ["/secret_access_key", "secret_key"],
]);
const TAG = { tag: "credentials" } as const;
const EXAMPLE = { access_key_id: "AKIAJEXAMPLEEXAMPLEQ", creation_date: EXAMPLE_TIME };
const EXAMPLE_WITH_SECRET = {
  ...EXAMPLE,
  secret_access_key: "example-secret-example-secret-example-00",
  user_id: 0,
  user_name: "alice",
};

function imported(name: string, what: string): Parameter {
  return {
    name,
    in: "query",
    description: `${what} to import; both or none are given. None: both are generated.`,
    schema: { type: "string" },
  };
}

/** `user_id` is a number in the specification and means nothing; clients go by `user_name`. */
function secretBody(key: CredentialWithSecret): Record<string, unknown> {
  const { access_key_id, secret_access_key, creation_date, username } = key;
  return { access_key_id, secret_access_key, creation_date, user_id: 0, user_name: username };
}

/** The operations. */
export const CREDENTIAL_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUserCredentials",
    path: OF_USER,
    summary: "List the credentials of a user, without secrets",
    description: "All access keys of the user.",
    answer: answerWithPage("CredentialsList", EXAMPLE),
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
    summary: "Create or import credentials",
    description: "The request has no body. Access key ids are unique over all users.",
    query: [imported("access_key", "Access key id"), imported("secret_key", "Secret")],
    answer: { ...answerWith(201, "CredentialsWithSecret", EXAMPLE_WITH_SECRET), headers: NO_STORE_HEADER },
    errors: [400, 404, 409],
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...TAG,
    id: "getCredentialsForUser",
    path: ONE,
    summary: "Get credentials of a user, without the secret",
    description: "One access key, if it belongs to the user.",
    answer: answerWith(200, "Credentials", EXAMPLE),
    errors: [404],
    handler:
      ({ directory: { credentials } }) =>
      async (call) =>
        json(200, credentialBody(await credentials.get(param(call, 0), param(call, 1)))),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteCredentials",
    path: ONE,
    summary: "Delete credentials",
    description: "The key stops working at once, and so do login tokens that were issued for it.",
    handler:
      ({ directory: { credentials }, audit }) =>
      async (call) => {
        const before = await credentials.get(param(call, 0), param(call, 1));
        await credentials.delete(before.username, before.access_key_id);
        audit.wrote(call, "deleteCredentials", { user: before.username, before });
        return NO_CONTENT;
      },
  },
  {
    ...READ,
    ...TAG,
    id: "getCredentials",
    path: `${BASE_PATH}/auth/credentials/{accessKeyId}`,
    summary: "Get credentials with their secret",
    description: "What a data server needs to verify a signature. Each call is audited.",
    scope: "secrets",
    priority: "hot",
    answer: { ...answerWith(200, "CredentialsWithSecret", EXAMPLE_WITH_SECRET), headers: NO_STORE_HEADER },
    errors: [404],
    handler:
      ({ directory: { credentials }, audit }) =>
      async (call) => {
        const key = await credentials.getWithSecret(param(call, 0));
        const { access_key_id, username: user } = key;
        audit.readSecret(call, "getCredentials", { user, access_key_id });
        return json(200, secretBody(key), NO_STORE);
      },
  },
];

async function create(call: ServiceCall, { directory, audit }: DataServerParts): Promise<Reply> {
  const key = given(call);
  const made = await withFieldNames(QUERY_NAMES, directory.credentials.create(param(call, 0), key));
  const { access_key_id, creation_date, username: user } = made;
  const imported = key.access_key_id !== undefined;
  audit.wrote(call, "createCredentials", { user, after: { access_key_id, creation_date }, imported });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
  return json(201, secretBody(made), NO_STORE);
}

/** Empty counts as absent; one without the other is refused, as another key than asked for would be made. */
function given({ query }: ServiceCall): { access_key_id?: string; secret_access_key?: string } {
  const access_key_id = query.get("access_key") ?? "";
  const secret_access_key = query.get("secret_key") ?? "";
  if (access_key_id === "" && secret_access_key === "") return {};
  if (access_key_id === "" || secret_access_key === "") {
    const [missing, present] =
      access_key_id === "" ? ["access_key", "secret_key"] : ["secret_key", "access_key"];
    throw new AuthorizerError(
      "invalid_request",
      `${missing}: needed together with ${present}; give both to import a key, neither to generate one`,
    );
  }
  return { access_key_id, secret_access_key };
}
