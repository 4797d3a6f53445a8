/**
 * The routes of SCIM 2.0 (spec/scim §2). The OpenAPI document names them; the attributes of resources are described by
 * `/scim/v2/Schemas`, in the form that identity providers read.
 */

import type { Declaration } from "../../http/declaration.ts";
import type { Parameter, Schemas } from "../../http/openapi/openapi-types.ts";
import { schemaRef, text } from "../../http/schema/schema-forms.ts";
import type { AuditedFields } from "../rest/ports.ts";
import type { ServiceCaller } from "../service-caller.ts";
import { describeService, oneSchema, oneType } from "./discovery-calls.ts";
import { createGroup, deleteGroup, namesOfGroup, patchGroup, READ_GROUPS, replaceGroup } from "./groups.ts";
import type { ScimCall, ScimParts } from "./parts.ts";
import { getCall, listCall, searchCall } from "./read-calls.ts";
import { resourceTypes, SCIM_PATH, schemas, serviceProviderConfig } from "./schema/discovery.ts";
import { GROUP_SCHEMA } from "./schema/group-schema.ts";
import { USER_SCHEMA } from "./schema/user-schema.ts";
import { SCIM_TYPE } from "./scim-error.ts";
import { searchAll } from "./search-all.ts";
import { createUser, deleteUser, namesOfUser, patchUser, READ_USERS, replaceUser } from "./users.ts";

/** A declared route. */
interface ScimDeclaration extends Declaration<ScimParts, ServiceCaller> {
  readonly scope: "scim";
  /** Finds the names of what a call writes, for the audit of one whose outcome is not known. */
  readonly names?: (parts: ScimParts) => (call: ScimCall) => AuditedFields | Promise<AuditedFields>;
}

const RESOURCE = schemaRef("ScimResource");
const LIST = schemaRef("ScimList");

/** Schemas of the document. */
export const SCIM_SCHEMAS: Schemas = {
  ScimResource: {
    type: "object",
    description: "A resource of SCIM 2.0 (RFC 7643). `GET /scim/v2/Schemas` describes its attributes.",
    additionalProperties: true,
  },
  ScimList: {
    type: "object",
    description: "A `ListResponse` of SCIM 2.0 (RFC 7644, section 3.4.2).",
    properties: {
      schemas: { type: "array", items: { type: "string" } },
      totalResults: { type: "integer", minimum: 0 },
      startIndex: { type: "integer", minimum: 1 },
      itemsPerPage: { type: "integer", minimum: 0 },
      Resources: { type: "array", items: RESOURCE },
    },
    required: ["totalResults", "Resources"],
  },
  ScimError: {
    type: "object",
    description: "An error of SCIM 2.0 (RFC 7644, section 3.12).",
    properties: {
      schemas: { type: "array", items: { type: "string" } },
      status: text("The status as a text."),
      scimType: text("Kind of the error, for programs."),
      detail: text("The error in words."),
    },
    required: ["schemas", "status", "detail"],
  },
};

/** Parameters of the paths. */
export const SCIM_PATH_PARAMETERS = {
  scimId: {
    description: "Id of the resource, as SCIM answers have it.",
    example: "01KAMQ3Z0T8W0000000000AAAA",
  },
  scimSchema: { description: "URN of the schema.", example: USER_SCHEMA },
  scimType: { description: "Name of the kind of resources.", example: "User" },
} as const;

function parameter(name: string, description: string, example: string): Parameter {
  return { name, in: "query", description, schema: { type: "string" }, example };
}

const SHOWN: readonly Parameter[] = [
  parameter("attributes", "Only these attributes, separated by commas.", "userName,emails.value"),
  parameter("excludedAttributes", "All but these attributes, separated by commas.", "members"),
];
const LISTED: readonly Parameter[] = [
  parameter(
    "filter",
    "Only resources that pass this filter (RFC 7644, section 3.4.2.2).",
    'userName eq "alice"',
  ),
  parameter("startIndex", "Number of the first resource, from 1.", "1"),
  parameter("count", "Most resources of the answer: 100 by default, at most 1,000.", "100"),
  ...SHOWN,
];

const COMMON = { tag: "SCIM", scope: "scim", priority: "bulk" } as const;
const OF_SCIM = { type: SCIM_TYPE } as const;
const ID = "01KAMQ3Z0T8W0000000000AAAA";
const SEARCH = {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
  filter: 'externalId eq "00u1"',
  count: 10,
};
const USER = { schemas: [USER_SCHEMA], userName: "alice", externalId: "00u1", active: true };
const GROUP = { schemas: [GROUP_SCHEMA], displayName: "Analysts", members: [{ value: ID }] };

interface Kind {
  readonly name: "User" | "Group";
  readonly example: Readonly<Record<string, unknown>>;
  readonly change: unknown;
}

type Handler = ScimDeclaration["handler"];

interface Handlers {
  readonly list: Handler;
  readonly search: Handler;
  readonly get: Handler;
  readonly create: Handler;
  readonly replace: Handler;
  readonly patch: Handler;
  readonly remove: Handler;
  readonly names: NonNullable<ScimDeclaration["names"]>;
}

function described(id: string, path: string, summary: string) {
  return { id, path, summary, description: `${summary} (SCIM 2.0, RFC 7644).` };
}

/** The body of a call. That of a group may have thousands of members; what a user has is never more than 64 KiB. */
function bodyOf(example: unknown, kind?: Kind["name"]) {
  return {
    ...OF_SCIM,
    alsoType: SCIM_TYPE,
    schema: RESOURCE,
    example,
    limit: kind === "Group" ? "bulkBodyBytes" : "bodyBytes",
  } as const;
}

/** The calls about all resources of a kind. */
function listRoutes(
  { name, example }: Kind,
  { list, search, create, names }: Handlers,
): readonly ScimDeclaration[] {
  const path = `${SCIM_PATH}/${name}s`;
  const what = name.toLowerCase();
  const whole = { id: ID, ...example };
  const page = {
    status: 200,
    description: `A page of ${what}s.`,
    ...OF_SCIM,
    schema: LIST,
    example: { totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [whole] },
  } as const;
  return [
    {
      ...COMMON,
      ...described(`scimSearch${name}s`, `${path}/.search`, `Lists ${what}s as a body asks for them`),
      method: "POST",
      reads: true,
      body: bodyOf(SEARCH),
      answer: page,
      handler: search,
    },
    {
      ...COMMON,
      ...described(`scimList${name}s`, path, `Lists ${what}s`),
      method: "GET",
      query: LISTED,
      answer: page,
      errors: [400],
      handler: list,
    },
    {
      ...COMMON,
      ...described(`scimCreate${name}`, path, `Creates a ${what}`),
      method: "POST",
      query: SHOWN,
      body: bodyOf(example, name),
      answer: { status: 201, description: `The ${what}.`, ...OF_SCIM, schema: RESOURCE, example: whole },
      errors: [409],
      names,
      handler: create,
    },
  ];
}

/** The calls about one resource of a kind. */
function resourceRoutes(
  { name, example, change }: Kind,
  { get, replace, patch, remove, names }: Handlers,
): readonly ScimDeclaration[] {
  const path = `${SCIM_PATH}/${name}s/{scimId}`;
  const what = name.toLowerCase();
  const whole = { id: ID, ...example };
  const shown = { ...COMMON, query: SHOWN } as const;
  const answer = {
    status: 200,
    description: `The ${what}.`,
    ...OF_SCIM,
    schema: RESOURCE,
    example: whole,
  } as const;
  return [
    {
      ...shown,
      ...described(`scimGet${name}`, path, `Gets a ${what}`),
      method: "GET",
      answer,
      errors: [400, 404],
      handler: get,
    },
    {
      ...shown,
      ...described(`scimReplace${name}`, path, `Replaces a ${what}`),
      method: "PUT",
      body: bodyOf(example, name),
      answer,
      errors: [404, 409],
      names,
      handler: replace,
    },
    {
      ...shown,
      ...described(`scimUpdate${name}`, path, `Changes a ${what}`),
      method: "PATCH",
      body: bodyOf(change, name),
      answer,
      errors: [404, 409],
      names,
      handler: patch,
    },
    {
      ...COMMON,
      ...described(`scimDelete${name}`, path, `Deletes a ${what}`),
      method: "DELETE",
      answer: { status: 204, description: `The ${what} is deleted.` },
      errors: [404],
      names,
      handler: remove,
    },
  ];
}

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const DEACTIVATE = { schemas: [PATCH_SCHEMA], Operations: [{ op: "replace", path: "active", value: false }] };
const ADD_MEMBER = {
  schemas: [PATCH_SCHEMA],
  Operations: [{ op: "add", path: "members", value: [{ value: ID }] }],
};

function description(
  id: string,
  path: string,
  summary: string,
  handler: Handler,
  example: unknown,
): ScimDeclaration {
  const schema = path.includes("{") || id === "scimServiceProviderConfig" ? RESOURCE : LIST;
  return {
    ...COMMON,
    id,
    method: "GET",
    path: `${SCIM_PATH}${path}`,
    summary,
    description: `${summary} (SCIM 2.0, RFC 7644, section 4).`,
    answer: { status: 200, description: "The description.", ...OF_SCIM, schema, example },
    errors: path.includes("{") ? [404] : [],
    handler,
  };
}

const BASE = `https://authorizer.example.com${SCIM_PATH}`;

const USERS: Kind = { name: "User", example: USER, change: DEACTIVATE };
const OF_USERS: Handlers = {
  list: listCall(READ_USERS),
  search: searchCall(READ_USERS),
  get: getCall(READ_USERS),
  create: createUser,
  replace: replaceUser,
  patch: patchUser,
  remove: deleteUser,
  names: namesOfUser,
};
const GROUPS: Kind = { name: "Group", example: GROUP, change: ADD_MEMBER };
const OF_GROUPS: Handlers = {
  list: listCall(READ_GROUPS),
  search: searchCall(READ_GROUPS),
  get: getCall(READ_GROUPS),
  create: createGroup,
  replace: replaceGroup,
  patch: patchGroup,
  remove: deleteGroup,
  names: namesOfGroup,
};

/** All of them. */
export const SCIM_ROUTES: readonly ScimDeclaration[] = [
  {
    ...COMMON,
    ...described("scimSearch", `${SCIM_PATH}/.search`, "Lists users and groups as a body asks for them"),
    method: "POST",
    reads: true,
    body: bodyOf({ ...SEARCH, filter: 'displayName sw "An"' }),
    answer: {
      status: 200,
      description: "A page of users and groups.",
      ...OF_SCIM,
      schema: LIST,
      example: { totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id: ID, ...GROUP }] },
    },
    handler: searchAll,
  },
  ...listRoutes(USERS, OF_USERS),
  ...resourceRoutes(USERS, OF_USERS),
  ...listRoutes(GROUPS, OF_GROUPS),
  ...resourceRoutes(GROUPS, OF_GROUPS),
  description(
    "scimServiceProviderConfig",
    "/ServiceProviderConfig",
    "Which features the service has",
    describeService(serviceProviderConfig),
    serviceProviderConfig(BASE),
  ),
  description(
    "scimResourceTypes",
    "/ResourceTypes",
    "Which kinds of resources there are",
    describeService(resourceTypes),
    {
      totalResults: 2,
      Resources: resourceTypes(BASE),
    },
  ),
  description(
    "scimResourceType",
    "/ResourceTypes/{scimType}",
    "One kind of resources",
    oneType,
    resourceTypes(BASE)[0],
  ),
  description("scimSchemas", "/Schemas", "Which attributes resources have", describeService(schemas), {
    totalResults: 3,
    Resources: schemas(BASE),
  }),
  description(
    "scimSchema",
    "/Schemas/{scimSchema}",
    "The attributes of one schema",
    oneSchema,
    schemas(BASE)[0],
  ),
];
