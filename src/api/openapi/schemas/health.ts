/** What the open paths answer. */

import type { Schemas } from "../openapi-types.ts";
import { listOf, object, text } from "../schema-forms.ts";

/** Schemas of the probes, this document and the metadata. */
export const HEALTH_SCHEMAS: Schemas = {
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
  Ready: object({ status: { const: "ready" } }),
  NotReady: object({
    message: text("Says that the service is not ready."),
    reasons: listOf({ type: "string" }, "`starting`, `stopping`, or what does not work."),
  }),
};
