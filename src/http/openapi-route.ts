/** `GET /openapi.json`: open, like the probes. */

import type { OpenApiDocument } from "./openapi-types.ts";
import type { Route } from "./route.ts";

/**
 * Builds the route.
 * @param build makes the document of the listener, when it is first asked for
 */
export function openApiRoute(build: () => OpenApiDocument): Route {
  let document: string | undefined;
  return {
    method: "GET",
    path: "/openapi.json",
    head: true,
    handle: () => {
      document ??= JSON.stringify(build());
      return { status: 200, body: document };
    },
  };
}
