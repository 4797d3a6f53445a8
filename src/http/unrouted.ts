/** What no handler answers: other methods of known paths, unknown paths, and errors of Express routes. */

import type { ErrorRequestHandler, RequestHandler } from "express";
import express, { type Express } from "express";
import { AuthorizerError } from "../errors.ts";
import { writeError } from "./answer.ts";
import { RequestRefused } from "./errors.ts";
import type { HttpLog } from "./ports.ts";
import { makeRequestId } from "./request-id.ts";

/** An Express application with nothing on that we do not want: strict paths, no ETag, no X-Powered-By, no query parser. */
export function strictApp(): Express {
  const app = express();
  app.set("strict routing", true);
  app.set("case sensitive routing", true);
  app.set("x-powered-by", false);
  app.set("etag", false);
  app.set("query parser", false);
  app.set("env", "production");
  return app;
}

/** Answers OPTIONS with the methods that a path knows, and any other method with 405. */
export function methodNotAllowed(methods: readonly string[]): RequestHandler {
  const allow = [...methods, "OPTIONS"].join(", ");
  return (request, response) => {
    if (request.method === "OPTIONS") {
      response.writeHead(204, ["Allow", allow]);
      response.end();
    } else {
      writeError(response, new RequestRefused(405, `this path knows the methods ${allow}`, ["Allow", allow]));
    }
  };
}

/** 404 for whatever came this far. */
export const notFound: RequestHandler = (_request, response) => {
  writeError(response, new AuthorizerError("not_found", "there is nothing at this path"));
};

/** The last handler of an application: no error of a route reaches a caller as Express would write it. */
export function lastResort(log: HttpLog): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    // Express marks what it holds against the request itself, such as a path that does not decode.
    const faulty = error instanceof Error && "status" in error && error.status === 400;
    const errorId = writeError(
      response,
      faulty ? new RequestRefused(400, "malformed request target") : error,
    );
    if (errorId === undefined) return;
    log.failure({ error_id: errorId, request_id: makeRequestId(), path: request.route?.path ?? "", error });
  };
}
