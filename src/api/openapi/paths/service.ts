/** Paths that need no token: the probes, this document, the metadata. */

import type { Paths } from "../openapi-types.ts";
import { jsonAnswer, operation } from "../operation.ts";

const TAG = "service";
const NO_STORE = {
  "Cache-Control": { description: "`no-store`.", required: true, schema: { const: "no-store" } },
};

const CACHED = {
  "Cache-Control": { description: "How long it may be kept.", required: true, schema: { type: "string" } },
} as const;

/** `/healthz`, `/readyz`, `/openapi.json`, `/.well-known/authzen-configuration`. */
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
  "/.well-known/authzen-configuration": {
    get: operation({
      id: "authzenMetadata",
      tag: "AuthZEN",
      summary: "Where the AuthZEN endpoints are",
      description:
        "From `authorizer.public_url`, or on loopback from the listener's own address; never from headers of the request.",
      scope: null,
      status: 200,
      answer: jsonAnswer("The metadata.", "PdpMetadata", { headers: CACHED }),
      errors: [404],
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
