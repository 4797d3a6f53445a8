/** `GET /openapi.json`: open, like the probes. */

import { createHash } from "node:crypto";
import { pageHandler } from "../pages/pages.ts";
import type { Route } from "../route.ts";
import type { OpenApiDocument } from "./openapi-types.ts";

const PATH = "/openapi.json";

/**
 * Builds the route. The document is compressed and tagged: a client that has it is answered 304.
 * @param build makes the document of the listener, when it is first asked for
 */
export function openApiRoute(build: () => OpenApiDocument): Route {
  return {
    method: "GET",
    path: PATH,
    head: true,
    handle: pageHandler((app, { compression }) => {
      const document = Buffer.from(JSON.stringify(build()));
      const tag = `W/"${createHash("sha256").update(document).digest("base64url")}"`;
      app.get(PATH, compression(), (_request, response) => {
        response.setHeader("Content-Type", "application/json");
        response.setHeader("ETag", tag);
        response.send(document);
      });
    }),
  };
}
