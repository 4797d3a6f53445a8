/** Access keys (authorization-api.md §7, operations 19 to 23). */

import type { Directory } from "../../directory/directory.ts";
import { AuthorizerError } from "../../errors.ts";
import type { Reply } from "../../http/route.ts";
import type { CredentialWithSecret } from "../../model/entities.ts";
import { withFieldNames } from "../rest/body-fields.ts";
import { json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { credentialBody } from "../rest/shapes.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import type { CallAudit } from "./write-audit.ts";

const OF_USER = "/auth/users/{userId}/credentials";
const ONE = `${OF_USER}/{accessKeyId}`;
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([
  ["/access_key_id", "access_key"],
  ["/secret_access_key", "secret_key"],
]);

/** What the operations on access keys need. */
export interface CredentialParts {
  readonly directory: Directory;
  readonly audit: CallAudit;
}

/** `user_id` is a number in the specification and means nothing; clients go by `user_name`. */
function secretBody(key: CredentialWithSecret): Record<string, unknown> {
  const { access_key_id, secret_access_key, creation_date, username } = key;
  return { access_key_id, secret_access_key, creation_date, user_id: 0, user_name: username };
}

/** The operations. */
export function credentialOperations({ directory, audit }: CredentialParts): readonly Operation[] {
  const { credentials } = directory;
  const getWithSecret = async (call: OperationCall): Promise<Reply> => {
    const key = await credentials.getWithSecret(param(call, 0));
    const { access_key_id, username: user } = key;
    audit.readSecret(call, "getCredentials", { user, access_key_id });
    return json(200, secretBody(key), NO_STORE);
  };
  return [
    readOperation("listUserCredentials", OF_USER, (call) =>
      listReply(call, (page) => credentials.list(param(call, 0), page), credentialBody),
    ),
    writeOperation("createCredentials", "POST", OF_USER, (call) => create(call, directory, audit)),
    readOperation("getCredentialsForUser", ONE, async (call) =>
      json(200, credentialBody(await credentials.get(param(call, 0), param(call, 1)))),
    ),
    writeOperation("deleteCredentials", "DELETE", ONE, async (call) => {
      const before = await credentials.get(param(call, 0), param(call, 1));
      await credentials.delete(before.username, before.access_key_id);
      audit.wrote(call, "deleteCredentials", { user: before.username, before });
      return NO_CONTENT;
    }),
    {
      ...readOperation("getCredentials", "/auth/credentials/{accessKeyId}", getWithSecret, true),
      scope: "secrets",
    },
  ];
}

async function create(call: OperationCall, { credentials }: Directory, audit: CallAudit): Promise<Reply> {
  const key = given(call);
  const made = await withFieldNames(QUERY_NAMES, credentials.create(param(call, 0), key));
  const { access_key_id, creation_date, username: user } = made;
  const imported = key.access_key_id !== undefined;
  audit.wrote(call, "createCredentials", { user, after: { access_key_id, creation_date }, imported });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
  return json(201, secretBody(made), NO_STORE);
}

/** Empty counts as absent; one without the other is refused, as another key than asked for would be made. */
function given({ query }: OperationCall): { access_key_id?: string; secret_access_key?: string } {
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
