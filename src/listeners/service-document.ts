/** The OpenAPI document of the service listener. */

import {
  AUTHENTICATION_OPERATIONS,
  AUTHENTICATION_SCHEMAS,
} from "../api/authentication/authentication-routes.ts";
import { CHANGE_ROUTES, CHANGE_SCHEMAS } from "../api/changes/routes.ts";
import { DATA_SERVER_SCHEMAS, type DataServerDeclaration } from "../api/data-server/declaration.ts";
import { DECISION_ROUTES } from "../api/decisions/routes.ts";
import { DECISION_SCHEMAS } from "../api/decisions/schemas.ts";
import { DATA_SERVER_OPERATIONS } from "../api/resources/operations.ts";
import { PATH_PARAMETERS } from "../api/rest/declared.ts";
import { SCIM_PATH_PARAMETERS, SCIM_ROUTES, SCIM_SCHEMAS } from "../api/scim/declaration.ts";
import { SCIM_TYPE } from "../api/scim/scim-error.ts";
import type { Scope } from "../api/service-caller.ts";
import {
  type Described,
  type Failures,
  openApiDocument,
  type SecuredOperation,
} from "../http/openapi/document.ts";
import { CHALLENGE, COMMON_FAILURES, ERROR_SCHEMAS, failure } from "../http/openapi/failures.ts";
import type { OpenApiDocument, Schemas } from "../http/openapi/openapi-types.ts";
import { schemaRef } from "../http/schema/schema-forms.ts";
import { OPEN_OPERATIONS, OPEN_SCHEMAS } from "./open-operations.ts";

const TAGS = [
  { name: "AuthZEN", description: "Decisions as OpenID AuthZEN Authorization API 1.0 defines them." },
  { name: "decisions", description: "Decisions in the terms of policies." },
  { name: "users", description: "Data-server API: users." },
  { name: "groups", description: "Data-server API: groups." },
  { name: "policies", description: "Data-server API: policies." },
  { name: "credentials", description: "Data-server API: access keys." },
  { name: "external principals", description: "Data-server API: identities of other systems." },
  { name: "tokens", description: "Data-server API: one-time tokens." },
  {
    name: "changes",
    description: "What changes in the directory, for caches and for decision points elsewhere.",
  },
  { name: "SCIM", description: "SCIM 2.0, by which identity providers fill the directory." },
  { name: "authentication", description: "Who signs in at a data server, which asks here." },
  { name: "service", description: "Health, version and this document." },
] as const;

const BEARER = "bearer";
const BEARER_MEANING = [
  "The token of the data server (`auth.api.token`), a token of `authorizer.tokens`,",
  "or, where `auth.api.token` is empty, an HS256 JWT signed with `auth.encrypt.secret_key` for the audience `auth-client`.",
  "Operations name the scope that a listed token needs.",
].join(" ");

const DESCRIPTION = [
  "Decisions on what users may do, and the API in which a data server keeps users, groups and policies.",
  "Paths match exactly, letter by letter. Limits that can be configured are given with their defaults.",
].join(" ");

const FAILURES = {
  ...COMMON_FAILURES,
  401: { name: "Unauthenticated", response: failure("There is no valid bearer token.", CHALLENGE) },
  403: {
    name: "NotAllowed",
    response: failure("The token lacks the scope that this call needs, or this address may not call."),
  },
  501: { name: "NotConfigured", response: failure("The configuration turns this off.") },
} as const;

/** The same failures in the form of SCIM. */
const SCIM_FAILURES: Failures = Object.fromEntries(
  Object.entries(FAILURES).map(([status, { name, response }]) => {
    const content = { [SCIM_TYPE]: { schema: schemaRef("ScimError") } };
    return [status, { name: `Scim${name}`, response: { ...response, content } }];
  }),
);

/** Every schema that the document can have. */
const SCHEMAS: Schemas = {
  ...ERROR_SCHEMAS,
  ...OPEN_SCHEMAS,
  ...DECISION_SCHEMAS,
  ...DATA_SERVER_SCHEMAS,
  ...CHANGE_SCHEMAS,
  ...SCIM_SCHEMAS,
  ...AUTHENTICATION_SCHEMAS,
};

function secured(operation: Described & { readonly scope?: Scope }): SecuredOperation {
  return { ...operation, security: operation.scope === undefined ? [] : [{ [BEARER]: [operation.scope] }] };
}

function commonErrors({ security, body }: SecuredOperation): readonly number[] {
  return [
    ...(security.length === 0 ? [] : [401, 403, 500, 503]),
    ...(body === undefined ? [] : [400, 413, 415]),
  ];
}

/**
 * Builds the document.
 * @param version of the package
 */
export function serviceDocument(version: string): OpenApiDocument {
  const declared: readonly (Described & Pick<DataServerDeclaration, "scope">)[] = [
    ...DECISION_ROUTES,
    ...DATA_SERVER_OPERATIONS,
    ...CHANGE_ROUTES,
    ...AUTHENTICATION_OPERATIONS,
    ...OPEN_OPERATIONS,
  ];
  return openApiDocument({
    info: {
      title: "svc-authorizer, service listener",
      version,
      summary: "Authorization sidecar and policy decision point for versioned-data services",
      description: DESCRIPTION,
    },
    tags: TAGS,
    apis: [
      {
        operations: declared.map(secured),
        failures: FAILURES,
        commonErrors,
        parameters: PATH_PARAMETERS,
        isRevised: ({ security, path }) => security.length > 0 || path.startsWith("/api/"),
      },
      {
        operations: SCIM_ROUTES.map(secured),
        failures: SCIM_FAILURES,
        commonErrors,
        parameters: SCIM_PATH_PARAMETERS,
        isRevised: () => true,
      },
    ],
    schemas: SCHEMAS,
    securitySchemes: { [BEARER]: { type: "http", scheme: "bearer", description: BEARER_MEANING } },
  });
}
