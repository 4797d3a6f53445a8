/** The end of requests that took too long. */

import type { Socket } from "node:net";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { refuse } from "../answer.ts";
import { RequestRefused } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { reset } from "./reset.ts";

/** Answers a request whose time is up, or ends its connection where no answer can be given or is taken. */
export function expire(socket: Socket, exchange: Exchange): void {
  const { request, response } = exchange;
  if (exchange.answered) {
    // Answered, yet the body still comes, or nobody takes the answer; any other connection stays open.
    if (!response.writableFinished) reset(socket);
    else if (!request.complete) socket.destroy();
    exchange.deadline = Number.POSITIVE_INFINITY;
    return;
  }
  if (response.headersSent) {
    reset(socket);
    return;
  }
  response.shouldKeepAlive = false;
  refuse(exchange, overdue(exchange));
}

function overdue({ request, waiting }: Exchange): AuthorizerError {
  if (request.complete || waiting) {
    return new AuthorizerError("unavailable", "no answer in time, try again", { retryAfterSeconds: 1 });
  }
  return new RequestRefused(408, "the body did not arrive in time");
}
