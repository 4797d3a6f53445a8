/** What the probes answer. */

import type { Schemas } from "../openapi-types.ts";
import { listOf, object, text } from "../schema-forms.ts";

/** Schemas of `/healthz` and `/readyz`. */
export const HEALTH_SCHEMAS: Schemas = {
  OpenApi: {
    type: "object",
    description: "An OpenAPI 3.1 document.",
    required: ["openapi", "info", "paths"],
  },
  Alive: object({ status: { const: "ok" } }),
  Ready: object({ status: { const: "ready" } }),
  NotReady: object({
    message: text("Says that the service is not ready."),
    reasons: listOf({ type: "string" }, "`starting`, `stopping`, or what does not work."),
  }),
};
