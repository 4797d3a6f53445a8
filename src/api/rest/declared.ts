/** Query parameters, headers, schemas and examples of both REST APIs. */

import type { Header, Parameter, Schema, Schemas } from "../../http/openapi/openapi-types.ts";
import { listOf, object, schemaRef, text, UNIX_SECONDS } from "../../http/schema/schema-forms.ts";

const ENCODED_TWICE =
  "A data server percent-encodes path parameters twice; they are decoded twice (the second time only where that is possible), and `+` is a plus sign.";

/** Path parameters by name. */
export const PATH_PARAMETERS = {
  userId: { description: `Name of the user. ${ENCODED_TWICE}`, example: "alice" },
  groupId: { description: `Name of the group. ${ENCODED_TWICE}`, example: "Readers" },
  policyId: { description: `Name of the policy. ${ENCODED_TWICE}`, example: "ReadData" },
  decisionId: { description: "Id of a decision, as its answer has it.", example: "d-3f9c2a7b81d0-1a" },
  auditId: { description: "Id of an audit record, as lists have it.", example: "a-3f9c2a7b81d0-1a" },
  revision: { description: "Revision of an entry in the log.", example: "1204" },
  source_repo: { description: "Name of the repository that is mirrored.", example: "sales" },
  mirror_id: { description: "Name of the mirror.", example: "sales-west" },
  sessionId: { description: "Id of a session, as the list has it.", example: "01m3x8k2v07zq4n5w9r6t1y2pc" },
  accessKeyId: { description: `Access key id. ${ENCODED_TWICE}`, example: "AKIAJEXAMPLEEXAMPLEQ" },
} as const;

/** Query parameters of lists. */
export const PAGING: readonly Parameter[] = [
  {
    name: "prefix",
    in: "query",
    description: "Only items whose key begins with this text.",
    schema: { type: "string", default: "" },
  },
  {
    name: "search",
    in: "query",
    description:
      "Only items with this text in their names, in letters of any case; of users also in friendly name and e-mail address, of groups in the description. A page of a long list may have fewer items than `amount`, also none, and a next page.",
    schema: { type: "string", default: "" },
  },
  {
    name: "after",
    in: "query",
    description: "Only items behind this key: the `next_offset` of the page before.",
    schema: { type: "string", default: "" },
  },
  {
    name: "amount",
    in: "query",
    description: "Most items of a page; 0 means 100, -1 means 1,000.",
    schema: { type: "integer", minimum: -1, maximum: 1000, default: 100 },
  },
];

/** The external principal that a call is about. */
export const PRINCIPAL_ID: Parameter = {
  name: "principalId",
  in: "query",
  required: true,
  description: "Id of the external principal, such as the ARN of a role.",
  schema: { type: "string", minLength: 1 },
  example: "arn:aws:sts::123456789012:assumed-role/Jobs",
};

/** Answers with secrets are not kept by caches. */
export const NO_STORE_HEADER: { readonly [name: string]: Header } = {
  "Cache-Control": { description: "`no-store`.", required: true, schema: { const: "no-store" } },
};

/** As {@link NO_STORE_HEADER}, on answers that may have no secret. */
export const MAYBE_NO_STORE_HEADER: { readonly [name: string]: Header } = {
  "Cache-Control": { description: "`no-store` where there is a password.", schema: { const: "no-store" } },
};

/** On writes that are done all the same. */
export const WARNING_HEADER: { readonly [name: string]: Header } = {
  Warning: {
    description:
      "What is valid but almost certainly a mistake, such as a condition that list filtering ignores.",
    schema: { type: "string" },
  },
};

/** Unix time of the examples. */
export const EXAMPLE_TIME = 1_795_274_820;

/** The example of a statement. */
export const EXAMPLE_STATEMENT = {
  effect: "allow",
  action: ["fs:Read*"],
  resource: "arn:svc:fs:::repository/data/*",
} as const;

/** The example of a page with one item. */
export function pageOfOne(item: unknown): unknown {
  return {
    pagination: { has_more: false, next_offset: "", results: 1, max_per_page: 1000 },
    results: [item],
  };
}

/** The schema of a page of a list. */
export function pageOf(schema: string): Schema {
  return object({ pagination: schemaRef("Pagination"), results: listOf(schemaRef(schema)) });
}

/** Of an access key that expires. */
export const TERM = {
  expires_at: {
    ...UNIX_SECONDS,
    description: "Unix seconds: from this second on the key is refused. Absent: it does not expire.",
  },
} as const;

/** Of a user who is inactive. */
export const INACTIVE = {
  const: true,
  description: "Present for a user who can do nothing until made active again.",
} as const;

/** Members of an access key without its secret. */
export const KEY_MEMBERS = {
  access_key_id: text("Access key id, unique over all users."),
  creation_date: UNIX_SECONDS,
};

/** Schemas of both APIs; the items of most lists are in the form of each. */
export const REST_SCHEMAS: Schemas = {
  ExternalPrincipal: object({ id: text("Id of the principal."), user_id: text("Name of the user.") }),
  UserList: pageOf("User"),
  GroupList: pageOf("Group"),
  PolicyList: pageOf("Policy"),
  CredentialsList: pageOf("Credentials"),
  ExternalPrincipalList: pageOf("ExternalPrincipal"),
  Pagination: object({
    has_more: { type: "boolean", description: "Whether there is a next page." },
    next_offset: text("`after` of the next page; empty on the last one."),
    results: { type: "integer", minimum: 0, description: "Items of this page." },
    max_per_page: { type: "integer", minimum: 0, description: "Most items that a page can have." },
  }),
  Version: object({ version: text("Version of the service.") }),
  Versions: object({
    version: text("Version of the service."),
    policy_set: object({
      version: text("Version of the policy set: actions, resource types, preconfigured policies."),
      digest: text("Digest of the policy set, the same for every partition of ARNs."),
    }),
  }),
};
