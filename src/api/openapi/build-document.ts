/** The OpenAPI document of the service listener. */

import { ERROR_RESPONSES, ERROR_SCHEMAS } from "./errors.ts";
import type { OpenApiDocument, Paths, Schemas } from "./openapi-types.ts";
import { BEARER } from "./operation.ts";
import { PARAMETERS } from "./parameters.ts";
import { ACCESS_PATHS } from "./paths/access.ts";
import { CREDENTIAL_PATHS } from "./paths/credentials.ts";
import { GROUP_PATHS } from "./paths/groups.ts";
import { POLICY_PATHS } from "./paths/policies.ts";
import { PRINCIPAL_PATHS } from "./paths/principals.ts";
import { SEARCH_PATHS } from "./paths/searches.ts";
import { SERVICE_PATHS } from "./paths/service.ts";
import { START_UP_PATHS } from "./paths/start-up.ts";
import { USER_PATHS } from "./paths/users.ts";
import { AUTHORIZATION_SCHEMAS } from "./schemas/authorization.ts";
import { AUTHZEN_SCHEMAS } from "./schemas/authzen.ts";
import { ENTITY_SCHEMAS } from "./schemas/entities.ts";
import { EXPLANATION_SCHEMAS } from "./schemas/explanation.ts";
import { HEALTH_SCHEMAS } from "./schemas/health.ts";
import { NATIVE_SCHEMAS } from "./schemas/native.ts";
import { POLICY_SCHEMAS } from "./schemas/policies.ts";
import { REQUEST_SCHEMAS } from "./schemas/requests.ts";
import { REQUIREMENT_SCHEMAS } from "./schemas/requirements.ts";
import { SEARCH_SCHEMAS } from "./schemas/searches.ts";
import { SIMULATION_SCHEMAS } from "./schemas/simulation.ts";

const TAGS = [
  { name: "AuthZEN", description: "Decisions as OpenID AuthZEN Authorization API 1.0 has them." },
  { name: "decisions", description: "Decisions in the terms of policies." },
  { name: "users", description: "Data-server API: users." },
  { name: "groups", description: "Data-server API: groups." },
  { name: "policies", description: "Data-server API: policies." },
  { name: "credentials", description: "Data-server API: access keys." },
  { name: "external principals", description: "Data-server API: identities of other systems." },
  { name: "tokens", description: "Data-server API: one-time tokens." },
  { name: "service", description: "Health, version and this document." },
] as const;

const BEARER_MEANING = [
  "The token of the data server (`auth.api.token`), a token of `authorizer.tokens`,",
  "or, where `auth.api.token` is empty, an HS256 JWT signed with `auth.encrypt.secret_key` for the audience `auth-client`.",
  "Operations name the scope that a listed token needs.",
].join(" ");

const DESCRIPTION = [
  "Decisions on what users may do, and the data-server API for a data server that keeps its users, groups and policies here.",
  "Paths match exactly, letter by letter. Limits that can be configured are given with their defaults.",
].join(" ");

const PATHS: Paths = {
  ...ACCESS_PATHS,
  ...SEARCH_PATHS,
  ...USER_PATHS,
  ...GROUP_PATHS,
  ...POLICY_PATHS,
  ...CREDENTIAL_PATHS,
  ...PRINCIPAL_PATHS,
  ...START_UP_PATHS,
  ...SERVICE_PATHS,
};

const SCHEMAS: Schemas = {
  ...ERROR_SCHEMAS,
  ...HEALTH_SCHEMAS,
  ...AUTHZEN_SCHEMAS,
  ...NATIVE_SCHEMAS,
  ...REQUEST_SCHEMAS,
  ...SIMULATION_SCHEMAS,
  ...SEARCH_SCHEMAS,
  ...REQUIREMENT_SCHEMAS,
  ...EXPLANATION_SCHEMAS,
  ...POLICY_SCHEMAS,
  ...ENTITY_SCHEMAS,
  ...AUTHORIZATION_SCHEMAS,
};

/**
 * Builds the document.
 * @param version of the package
 */
export function openApiDocument(version: string): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "svc-authorizer, service listener",
      version,
      summary: "Authorization sidecar and policy decision point for versioned-data services",
      description: DESCRIPTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    tags: TAGS,
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      responses: ERROR_RESPONSES,
      parameters: PARAMETERS,
      securitySchemes: { [BEARER]: { type: "http", scheme: "bearer", description: BEARER_MEANING } },
    },
  };
}
