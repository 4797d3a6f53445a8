/** Access keys (spec/authorization-api §7, operations 19 to 23; spec/permissions §12). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CredentialWithSecret } from "@svc-authorizer/policy/model/entities.ts";
import { LONGEST_LIFETIME } from "../../directory/write/credentials.ts";
import type { Parameter } from "../../http/openapi/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import { addsLastUse, LAST_USED } from "../management/last-used.ts";
import { secretBody } from "../management/shapes.ts";
import { NO_STORE_HEADER, PAGING } from "../rest/declared.ts";
import { one, page } from "../rest/examples.ts";
import { withFieldNames } from "../rest/field-names.ts";
import type { RestCall } from "../rest/grants.ts";
import { json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { CREATE, LIST, READ, REMOVE } from "../rest/operation-kinds.ts";
import { listReply } from "../rest/pages.ts";
import type { RestParts } from "../rest/parts.ts";
import type { AuditedFields } from "../rest/ports.ts";
import { credentialBody, termOf } from "../rest/shapes.ts";
import { checkActingAs } from "./acting-as.ts";
import type { ResourceOperation } from "./operation.ts";

const OF_USER = "/auth/users/{userId}/credentials";
const ONE = `${OF_USER}/{accessKeyId}`;
/** Fields of the directory → parameters of the query. */
const QUERY_NAMES = new Map([
  ["/access_key_id", "access_key"],
  ["/secret_access_key", "secret_key"],
]);
const LIFETIME_NAME = new Map([["/expires_in", "expires_in"]]);
const EXPIRES_IN: Parameter = {
  name: "expires_in",
  in: "query",
  description:
    "Seconds after which the key is gone for every reader, at most ten years; absent: it does not expire.",
  schema: { type: "integer", minimum: 1, maximum: LONGEST_LIFETIME },
};
const TAG = { tag: "credentials" } as const;
const MISSING = "credentials not found";

function imported(name: string, what: string): Parameter {
  return {
    name,
    in: "query",
    description: `${what} to import; both or none are given. None: both are generated.`,
    schema: { type: "string" },
  };
}

/** The operations. */
export const CREDENTIAL_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUserCredentials",
    path: OF_USER,
    summary: "List access keys",
    description: "All access keys of the user, without their secrets.",
    answer: page("CredentialsList", "Credentials"),
    dataServer: {
      summary: "List the credentials of a user, without secrets",
      description: "All access keys of the user.",
    },
    management: { query: [...PAGING, LAST_USED] },
    handler: {
      dataServer:
        ({ directory: { credentials } }) =>
        (call) =>
          listReply(call, (asked) => credentials.list(param(call, 0), asked), credentialBody),
      management:
        ({ directory: { credentials }, usage }) =>
        (call) =>
          listReply(call, (asked) => credentials.list(param(call, 0), asked), credentialBody, {
            adds: addsLastUse(call.query, usage, "key", "access_key_id"),
          }),
    },
  },
  {
    ...CREATE,
    ...TAG,
    id: "createCredentials",
    path: OF_USER,
    summary: "Create an access key",
    description: "The answer is the only one that shows the secret. The request has no body.",
    answer: one(201, "CredentialsWithSecret", NO_STORE_HEADER),
    errors: [404],
    compared: true,
    dataServer: {
      summary: "Create or import credentials",
      description: "The request has no body. Access key ids are unique over all users.",
      query: [imported("access_key", "Access key id"), imported("secret_key", "Secret")],
      errors: [400, 404, 409],
      names: importedKey,
    },
    management: { query: [EXPIRES_IN], errors: [400, 404] },
    handler: {
      dataServer: (parts) => (call) => createOrImport(call, parts),
      management: (parts) => (call) => create(call, parts),
    },
  },
  {
    ...READ,
    ...TAG,
    id: "getCredentialsForUser",
    path: ONE,
    summary: "Get credentials of a user, without the secret",
    description: "One access key, if it belongs to the user.",
    answer: one(200, "Credentials"),
    management: {
      id: "getCredentials",
      summary: "Get an access key, without its secret",
      missing: MISSING,
    },
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
    management: { summary: "Delete an access key", missing: MISSING },
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
    path: "/auth/credentials/{accessKeyId}",
    summary: "Get credentials with their secret",
    description: "What a data server needs to verify a signature. Each call is audited.",
    answer: one(200, "CredentialsWithSecret", NO_STORE_HEADER),
    dataServer: { scope: "secrets", priority: "hot" },
    handler: {
      dataServer:
        ({ directory: { credentials }, audit }) =>
        async (call) => {
          const key = await credentials.getWithSecret(param(call, 0));
          const { access_key_id, username: user } = key;
          audit.readSecret(call, "getCredentials", { user, access_key_id });
          return json(200, secretForDataServer(key), NO_STORE);
        },
    },
  },
];

/** Empty counts as absent, as clients send it for an option that was not given. */
function wantedLifetime({ query }: RestCall): number | undefined {
  const text = query.get("expires_in") ?? "";
  if (text === "") return undefined;
  return /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN;
}

/** Bytes of a body that says nothing: `{}`. */
const EMPTY_BODY = 2;

/** Refuses a body: what it asks of the key would be ignored, and a key that expires would stay. */
function refuseBody({ request }: RestCall, members: string): void {
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (coding === undefined && Number(length) <= EMPTY_BODY) return;
  throw new AuthorizerError("invalid_request", `the request has no body: ${members} belong into the query`);
}

/** `user_id` is a number in the specification and means nothing; clients go by `user_name`. */
function secretForDataServer(key: CredentialWithSecret): Record<string, unknown> {
  return { ...secretBody(key), user_id: 0, user_name: key.username };
}

async function create(call: RestCall, parts: RestParts): Promise<Reply> {
  const user = param(call, 0);
  refuseBody(call, "expires_in");
  const expires_in = wantedLifetime(call);
  const grant = { user, doing: "creating credentials for" };
  const { result: made, warnings } = await checkActingAs(call, grant, parts.escalation, () =>
    withFieldNames(LIFETIME_NAME, parts.directory.credentials.create(user, { expires_in })),
  );
  auditCreation(call, parts, made);
  return json(201, { ...secretBody(made), ...termOf(made) }, [...NO_STORE, ...warnings]);
}

async function createOrImport(call: RestCall, parts: RestParts): Promise<Reply> {
  const key = given(call);
  refuseBody(call, "access_key and secret_key");
  const { credentials } = parts.directory;
  const made = await withFieldNames(QUERY_NAMES, credentials.create(param(call, 0), key));
  auditCreation(call, parts, made, { imported: key.access_key_id !== undefined });
  return json(201, secretForDataServer(made), NO_STORE);
}

function auditCreation(call: RestCall, { audit }: RestParts, made: CredentialWithSecret, more = {}): void {
  const { access_key_id, creation_date, username: user } = made;
  const after = { access_key_id, creation_date, ...termOf(made) };
  audit.wrote(call, "createCredentials", { user, after, ...more });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
}

/** The id of a key that is imported; that of a generated one is known when it is committed. */
function importedKey(call: RestCall): AuditedFields {
  const { access_key_id } = given(call);
  return access_key_id === undefined ? {} : { access_key_id, imported: true };
}

/** Empty counts as absent; one without the other is refused, as another key than asked for would be made. */
function given({ query }: RestCall): { access_key_id?: string; secret_access_key?: string } {
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
