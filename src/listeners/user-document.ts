/** The OpenAPI document of the user listener. */

import { INVITE_OPERATIONS } from "../api/management/invitations/invite-page.ts";
import { LOGOUT_OPERATION } from "../api/management/login/logout-page.ts";
import { MIRROR_OPERATIONS } from "../api/management/mirrors/mirror-operations.ts";
import { MANAGEMENT_SCHEMAS } from "../api/management/schemas.ts";
import { DEVICE_OPERATIONS } from "../api/management/sign-in/device-routes.ts";
import { FORM_OPERATIONS } from "../api/management/sign-in/form-routes.ts";
import { OAUTH_OPERATIONS } from "../api/management/sign-in/oauth-routes.ts";
import { OIDC_OPERATIONS } from "../api/management/sign-in/oidc-routes.ts";
import { MANAGEMENT_OPERATIONS } from "../api/resources/operations.ts";
import { PATH_PARAMETERS } from "../api/rest/declared.ts";
import { STS_OPERATIONS } from "../api/sts/sts-routes.ts";
import { type Described, openApiDocument, type SecuredOperation } from "../http/openapi/document.ts";
import { CHALLENGE, COMMON_FAILURES, failure, RETRY_AFTER } from "../http/openapi/failures.ts";
import type { OpenApiDocument, Schemas } from "../http/openapi/openapi-types.ts";
import { LOGIN_COOKIE } from "../identity/login-claims.ts";
import { OPEN_SCHEMAS, PROBE_OPERATIONS } from "./open-operations.ts";

const TAGS = [
  { name: "sessions", description: "Log-in, log-out, the current user and what it may do." },
  { name: "users", description: "Users and their policies." },
  { name: "credentials", description: "Access keys." },
  { name: "external principals", description: "Identities of other systems that act as users." },
  { name: "groups", description: "Groups, their members, policies and access lists." },
  { name: "policies", description: "Policies." },
  {
    name: "mirrors",
    description: "Mirrors of repositories, where `authorizer.mirroring.regions` names a region.",
  },
  { name: "service", description: "Health, version, set-up and this document." },
] as const;

const DESCRIPTION = [
  "What people and `svcctl` use to manage users, groups and policies. Each operation is itself authorized by policy:",
  "a refusal is 401 with a message that names the missing action. Paths match exactly, letter by letter.",
].join(" ");

const SECURITY = [{ access_key: [] }, { login_token: [] }, { login_cookie: [] }];

const FAILURES = {
  ...COMMON_FAILURES,
  401: {
    name: "Refused",
    response: failure("The caller did not authenticate, or its policies do not allow the call.", CHALLENGE),
  },
  403: {
    name: "NotAllowed",
    response: failure(
      "A write of another site, or (`authorizer.escalation: deny`) one that grants more than the caller holds.",
    ),
  },
  410: {
    name: "NotKept",
    response: failure("What is asked for was there, or may have been, and is no longer kept."),
  },
  429: {
    name: "TooManyFailures",
    response: failure("Too many failed attempts with this key from this address.", RETRY_AFTER),
  },
  501: { name: "NotImplemented", response: failure("This service does not implement the operation.") },
} as const;

const SCHEMAS: Schemas = { ...OPEN_SCHEMAS, ...MANAGEMENT_SCHEMAS };

function secured(operation: Described & { readonly access?: string }): SecuredOperation {
  const open = operation.access === undefined || operation.access === "open";
  return { ...operation, security: open ? [] : SECURITY };
}

/** True for the paths of the management API and of the replication API. */
function isOfApi(path: string): boolean {
  return path.startsWith("/api/") || path.startsWith("/service/");
}

function commonErrors({ security, body, method, path }: SecuredOperation): readonly number[] {
  if (!isOfApi(path)) return [];
  return [
    ...(security.length === 0 ? [] : [401, 429]),
    ...(body === undefined ? [] : [400, 413, 415]),
    ...(method === "GET" ? [] : [403]),
    500,
    503,
  ];
}

/**
 * Builds the document.
 * @param version of the package
 */
export function userDocument(version: string): OpenApiDocument {
  const declared: readonly (Described & { readonly access?: string })[] = [
    ...MANAGEMENT_OPERATIONS,
    ...MIRROR_OPERATIONS,
    ...INVITE_OPERATIONS,
    ...STS_OPERATIONS,
    ...OIDC_OPERATIONS,
    ...FORM_OPERATIONS,
    ...DEVICE_OPERATIONS,
    ...OAUTH_OPERATIONS,
    LOGOUT_OPERATION,
    ...PROBE_OPERATIONS,
  ];
  return openApiDocument({
    info: {
      title: "svc-authorizer, user listener",
      version,
      summary: "Management of users, groups and policies",
      description: DESCRIPTION,
    },
    tags: TAGS,
    apis: [
      {
        operations: declared.map(secured),
        failures: FAILURES,
        commonErrors,
        parameters: PATH_PARAMETERS,
        isRevised: ({ path }) => isOfApi(path),
      },
    ],
    schemas: SCHEMAS,
    securitySchemes: {
      access_key: { type: "http", scheme: "basic", description: "Access key id and secret." },
      login_token: { type: "http", scheme: "bearer", description: "A login token (`POST /auth/login`)." },
      login_cookie: {
        type: "apiKey",
        in: "cookie",
        name: LOGIN_COOKIE,
        description:
          "A login token. Writes also need `Sec-Fetch-Site: same-origin` or the Origin of this service.",
      },
    },
  });
}
