/** `GET /openapi.json`: open, like the probes. Every answer is sent from the same bytes. */

import { constantAnswer } from "../constant-answer.ts";
import type { Route } from "../route.ts";
import type { OpenApiDocument } from "./openapi-types.ts";

const PATH = "/openapi.json";

/**
 * Builds the route. The document is compressed and tagged: a client that has it is answered 304.
 * @param build makes the document of the listener, when it is first asked for
 */
export function openApiRoute(build: () => OpenApiDocument): Route {
  const answer = constantAnswer("application/json", () => JSON.stringify(build()));
  return { method: "GET", path: PATH, head: true, handle: ({ request }) => answer(request.headers) };
}
