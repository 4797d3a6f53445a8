/** The OpenAPI document of the user listener. */

import { COMMON_HEADERS } from "./errors.ts";
import { FAILURE_RESPONSES, type FailureStatus, failureRef, failures } from "./management/failures.ts";
import { invitePaths } from "./management/invite-path.ts";
import { MANAGEMENT_ROWS, type Row } from "./management/operations.ts";
import { MANAGEMENT_SCHEMAS } from "./management/schemas.ts";
import type {
  Header,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Paths,
  Response,
} from "./openapi-types.ts";
import { jsonContent, parameterRef } from "./operation.ts";
import { PARAMETERS } from "./parameters.ts";
import { NO_STORE, WARNING } from "./paths/authorization-forms.ts";
import { SERVICE_PATHS } from "./paths/service.ts";

const BASE = "/api/v1";
const SECURITY = [{ access_key: [] }, { login_token: [] }, { login_cookie: [] }];
const SET_COOKIE: { readonly [name: string]: Header } = {
  "Set-Cookie": { description: "The login cookie.", required: true, schema: { type: "string" } },
};

const HEADERS: Readonly<Record<NonNullable<Row["headers"]>, { readonly [name: string]: Header }>> = {
  secret: NO_STORE,
  warning: WARNING,
  "secret and warning": { ...NO_STORE, ...WARNING },
  cookie: { ...NO_STORE, ...SET_COOKIE },
};

const EFFECTIVE: Parameter = {
  name: "effective",
  in: "query",
  description: "Also the policies of the user's groups, distinct by name.",
  schema: { type: "boolean", default: false },
};

const { Explain: _ofDecisions, ...SHARED } = PARAMETERS;

const TAGS = [
  { name: "sessions", description: "Log-in, log-out, who one is and what one may do." },
  { name: "users", description: "Users and their policies." },
  { name: "credentials", description: "Access keys." },
  { name: "external principals", description: "Identities of other systems that act as users." },
  { name: "groups", description: "Groups, their members, policies and access lists." },
  { name: "policies", description: "Policies." },
  { name: "service", description: "Health, version, set-up and this document." },
] as const;

const DESCRIPTION = [
  "What people and `svcctl` use to manage users, groups and policies. Each operation is itself authorized by policy:",
  "a refusal is 401 with a message that names the missing action. Paths match exactly, letter by letter.",
].join(" ");

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w)(\w*)\}/g)].map(([, first = "", rest = ""]) =>
    parameterRef(first.toUpperCase() + rest),
  );
}

function answerOf({ answer, headers, status }: Row): Response {
  const described = { ...COMMON_HEADERS, ...(headers === undefined ? {} : HEADERS[headers]) };
  const description = status === 204 || answer === undefined ? "Done." : "What was asked for.";
  return {
    description,
    headers: described,
    ...(answer === undefined ? {} : { content: jsonContent(answer) }),
  };
}

function operationOf(row: Row): Operation {
  const statuses: FailureStatus[] = [
    ...(row.failures ?? []),
    ...(row.open ? [] : ([401, 429] as const)),
    ...(row.body === undefined ? [] : ([400, 413, 415] as const)),
    ...(row.method === "get" ? [] : ([403] as const)),
    500,
    503,
  ];
  const parameters = [...pathParameters(row.path), ...(row.query ?? []).map(parameterRef)];
  const noAcl = row.id === "getGroupACL" ? { 404: failureRef("NoAccessList") } : {};
  return {
    operationId: row.id,
    tags: [row.tag],
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    parameters: [...parameters, parameterRef("RequestId")],
    ...(row.body === undefined ? {} : { requestBody: { required: true, content: jsonContent(row.body) } }),
    responses: { [row.status]: answerOf(row), ...failures(statuses), ...noAcl },
    security: row.open ? [] : SECURITY,
  };
}

function managementPaths(): { readonly [template: string]: PathItem } {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of MANAGEMENT_ROWS) {
    const template = BASE + row.path;
    paths[template] = { ...paths[template], [row.method]: operationOf(row) };
  }
  return paths;
}

/** What both listeners serve. */
function servicePaths(): Paths {
  const names = ["/healthz", "/readyz", "/openapi.json"];
  return Object.fromEntries(names.map((name) => [name, SERVICE_PATHS[name] as PathItem]));
}

/**
 * Builds the document.
 * @param version of the package
 */
export function userOpenApiDocument(version: string): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "svc-authorizer, user listener",
      version,
      summary: "Management of users, groups and policies",
      description: DESCRIPTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    tags: TAGS,
    paths: { ...managementPaths(), ...invitePaths(), ...servicePaths() },
    components: {
      schemas: MANAGEMENT_SCHEMAS,
      responses: FAILURE_RESPONSES,
      parameters: { ...SHARED, Effective: EFFECTIVE },
      securitySchemes: {
        access_key: { type: "http", scheme: "basic", description: "Access key id and secret." },
        login_token: { type: "http", scheme: "bearer", description: "A login token (`POST /auth/login`)." },
        login_cookie: {
          type: "apiKey",
          in: "cookie",
          name: "access_token",
          description:
            "A login token. Writes also need `Sec-Fetch-Site: same-origin` or the Origin of this service.",
        },
      },
    },
  };
}
