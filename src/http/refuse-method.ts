/** Methods that a path of a raw-target API does not know. */

import type { ServerResponse } from "node:http";
import type { RouteMeter } from "../observe/http-counters.ts";
import { writeError } from "./answer.ts";
import { RequestRefused } from "./errors.ts";
import type { ServiceRequest } from "./service-request.ts";

/**
 * Answers OPTIONS with the methods that the path knows, and any other with 405.
 * @param unmatched counts it as a request that no route takes
 */
export function refuseMethod(
  methods: readonly string[],
  unmatched: RouteMeter,
  request: ServiceRequest,
  response: ServerResponse,
): void {
  response.once("finish", () =>
    unmatched.answered(response.statusCode, (performance.now() - request.startedAt) / 1000),
  );
  const allow = [...methods, "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    response.writeHead(204, ["Allow", allow]);
    response.end();
    return;
  }
  writeError(response, new RequestRefused(405, `this path knows the methods ${allow}`, ["Allow", allow]));
}
