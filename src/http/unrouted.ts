/** What no handler answers: other methods of known paths, unknown paths, and errors of Express routes. */

import type { ErrorRequestHandler, RequestHandler } from "express";
import express, { type Express } from "express";
import { AuthorizerError } from "../errors.ts";
import type { HttpCounters } from "../observe/http-counters.ts";
import { writeError } from "./answer.ts";
import { codeOf, RequestRefused } from "./errors.ts";
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

/** Counts the answers of a route; without a name, those that no route takes. */
export function counted(counters: HttpCounters, method = "*", route = "unmatched"): RequestHandler {
  const meter = counters.route(method, route);
  return (_request, response, next) => {
    const began = performance.now();
    response.once("finish", () => meter.answered(response.statusCode, (performance.now() - began) / 1000));
    next();
  };
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
const notFound: RequestHandler = (_request, response) => {
  writeError(response, new AuthorizerError("not_found", "there is nothing at this path"));
};

/** The last handlers of an application: for requests that no route takes, and for errors of routes. */
export function unrouted(parts: {
  readonly counters: HttpCounters;
  readonly log: HttpLog;
}): (RequestHandler | ErrorRequestHandler)[] {
  return [counted(parts.counters), notFound, lastResort(parts)];
}

/** No error of a route reaches a caller as Express would write it. */
function lastResort({ counters, log }: { counters: HttpCounters; log: HttpLog }): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    // Express marks what it holds against the request itself, such as a path that does not decode.
    const faulty = error instanceof Error && "status" in error && error.status === 400;
    const shown = faulty ? new RequestRefused(400, "malformed request target") : error;
    counters.errors[codeOf(shown)]++;
    const errorId = writeError(response, shown);
    const path: string = request.route?.path ?? "";
    const request_id = makeRequestId();
    if (errorId !== undefined) log.failure({ error_id: errorId, request_id, path, error });
    const { statusCode: status } = response;
    if (status === 401 || status === 403) {
      const peer = request.socket.remoteAddress;
      log.refused({
        request_id,
        path,
        status,
        message: shown.message,
        ...(peer === undefined ? {} : { peer }),
      });
    }
  };
}
