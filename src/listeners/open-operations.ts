/** Operations that need no credential: probes, documents, metadata. */

import type { Described } from "../http/openapi/document.ts";
import { failure } from "../http/openapi/failures.ts";
import type { Schemas } from "../http/openapi/openapi-types.ts";
import { listOf, object, schemaRef, text } from "../http/schema/schema-forms.ts";

/** Schemas of the probes, this document and the metadata. */
export const OPEN_SCHEMAS: Schemas = {
  OpenApi: {
    type: "object",
    description: "An OpenAPI 3.1 document.",
    required: ["openapi", "info", "paths"],
  },
  PdpMetadata: object({
    policy_decision_point: text("URL of this policy decision point."),
    access_evaluation_endpoint: text("URL of the access evaluation endpoint."),
    access_evaluations_endpoint: text("URL of the access evaluations endpoint."),
    search_subject_endpoint: text("URL of the subject search endpoint."),
    search_resource_endpoint: text("URL of the resource search endpoint."),
    search_action_endpoint: text("URL of the action search endpoint."),
  }),
  Alive: object({ status: { const: "ok" } }),
  Ready: object(
    {
      status: { const: "ready" },
      database: text("With `?verbose`: what is wrong with the shared database; absent while nothing is."),
    },
    ["status"],
  ),
  NotReady: object({
    message: text("Says that the service is not ready."),
    reasons: listOf({ type: "string" }, "`starting`, `stopping`, or what does not work."),
  }),
};

const GET = { method: "GET", tag: "service" } as const;
const NO_STORE = {
  "Cache-Control": { description: "`no-store`.", required: true, schema: { const: "no-store" } },
} as const;
const CACHED = {
  "Cache-Control": { description: "How long it may be kept.", required: true, schema: { type: "string" } },
} as const;

/** Operations of all listeners. */
export const PROBE_OPERATIONS: readonly Described[] = [
  {
    ...GET,
    id: "healthz",
    path: "/healthz",
    summary: "Whether the process lives",
    description: "Answers as long as the process handles requests, whatever the state of the store.",
    answer: { status: 200, description: "It does.", schema: schemaRef("Alive"), example: { status: "ok" } },
  },
  {
    ...GET,
    id: "readyz",
    path: "/readyz",
    summary: "Whether the service answers requests now",
    description:
      "Asks the store, at most once a second. `?verbose` also says what is wrong with the database while the service is ready.",
    answer: {
      status: 200,
      description: "It does.",
      schema: schemaRef("Ready"),
      example: { status: "ready" },
      headers: NO_STORE,
    },
    failures: {
      503: failure("It starts, stops, or its store does not work.", NO_STORE, schemaRef("NotReady")),
    },
  },
  {
    ...GET,
    id: "openapi",
    path: "/openapi.json",
    summary: "This document",
    description: "The OpenAPI 3.1 document of this listener, derived from the routes that it serves.",
    answer: {
      status: 200,
      description: "The document.",
      schema: schemaRef("OpenApi"),
      example: { openapi: "3.1.1", info: { title: "svc-authorizer", version: "1.0.0" }, paths: {} },
    },
  },
];

/** Operations of the service listener that need no token. */
export const OPEN_OPERATIONS: readonly Described[] = [
  ...PROBE_OPERATIONS,
  {
    ...GET,
    tag: "AuthZEN",
    id: "authzenMetadata",
    path: "/.well-known/authzen-configuration",
    summary: "Where the AuthZEN endpoints are",
    description:
      "From `authorizer.public_url`, or on loopback from the listener's own address; never from headers of the request.",
    answer: {
      status: 200,
      description: "The metadata.",
      schema: schemaRef("PdpMetadata"),
      example: {
        policy_decision_point: "https://pdp.example.com",
        access_evaluation_endpoint: "https://pdp.example.com/access/v1/evaluation",
        access_evaluations_endpoint: "https://pdp.example.com/access/v1/evaluations",
        search_subject_endpoint: "https://pdp.example.com/access/v1/search/subject",
        search_resource_endpoint: "https://pdp.example.com/access/v1/search/resource",
        search_action_endpoint: "https://pdp.example.com/access/v1/search/action",
      },
      headers: CACHED,
    },
    errors: [404],
  },
];
