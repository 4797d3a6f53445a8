/** The end of a connection without traces of the stack. */

import type { Socket } from "node:net";

let traced = Error.stackTraceLimit;

function traceNothing(): void {
  // A listener in between that threw left it at 0.
  if (Error.stackTraceLimit > 0) traced = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

function traceAgain(): void {
  Error.stackTraceLimit = traced;
}

/**
 * `node:http` makes an error for each request that is left on a connection when it closes. To trace the stack takes most of it:
 * ten thousand connections with 64 requests each took ten seconds. To be called when `node:http` has seen the connection.
 */
export function closeUntraced(socket: Socket): void {
  socket.prependOnceListener("close", traceNothing);
  socket.once("close", traceAgain);
}
