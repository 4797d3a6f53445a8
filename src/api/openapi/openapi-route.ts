/** `GET /openapi.json`: open, like the probes. */

import { Router } from "express";
import { counted, methodNotAllowed } from "../../http/unrouted.ts";
import type { HttpCounters } from "../../observe/http-counters.ts";
import type { OpenApiDocument } from "./openapi-types.ts";

const PATH = "/openapi.json";

/**
 * Builds the route.
 * @param build makes the document of the listener, when it is first asked for
 */
export function openApiRoutes(build: () => OpenApiDocument, counters: HttpCounters): Router {
  let document: Buffer | undefined;
  const routes = Router({ strict: true, caseSensitive: true });
  routes
    .route(PATH)
    .get(counted(counters, "GET", PATH), (_request, response) => {
      document ??= Buffer.from(JSON.stringify(build()));
      response.writeHead(200, [
        "Content-Type",
        "application/json",
        "Content-Length",
        String(document.byteLength),
      ]);
      response.end(document);
    })
    .all(counted(counters), methodNotAllowed(["GET", "HEAD"]));
  return routes;
}
