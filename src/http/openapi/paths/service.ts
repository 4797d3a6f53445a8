/** Paths that need no token: the probes and this document. */

import type { Paths } from "../openapi-types.ts";
import { jsonAnswer, operation } from "../operation.ts";

const TAG = "service";
const NO_STORE = {
  "Cache-Control": { description: "`no-store`.", required: true, schema: { const: "no-store" } },
};

/** `/healthz`, `/readyz`, `/openapi.json`. */
export const SERVICE_PATHS: Paths = {
  "/healthz": {
    get: operation({
      id: "healthz",
      tag: TAG,
      summary: "Whether the process lives",
      scope: null,
      status: 200,
      answer: jsonAnswer("It does.", "Alive"),
      errors: [],
    }),
  },
  "/readyz": {
    get: readiness(),
  },
  "/openapi.json": {
    get: operation({
      id: "openapi",
      tag: TAG,
      summary: "This document",
      scope: null,
      status: 200,
      answer: jsonAnswer("The document.", "OpenApi"),
      errors: [],
    }),
  },
};

function readiness() {
  const ready = operation({
    id: "readyz",
    tag: TAG,
    summary: "Whether the service answers requests now",
    description: "Asks the store, at most once a second.",
    scope: null,
    status: 200,
    answer: jsonAnswer("It does.", "Ready", { headers: NO_STORE }),
    errors: [],
  });
  const notReady = jsonAnswer("It starts, stops, or its store does not work.", "NotReady", {
    headers: NO_STORE,
  });
  const { default: other, ...responses } = ready.responses;
  return { ...ready, responses: { ...responses, 503: notReady, ...(other && { default: other }) } };
}
