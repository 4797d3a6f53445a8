/** The end of a connection without traces of the stack. */

import type { Socket } from "node:net";

/**
 * `node:http` makes an error for each request that is left on a connection when it closes. To trace the stack takes most of it:
 * ten thousand connections with 64 requests each took ten seconds. To be called when `node:http` has seen the connection.
 */
export function closeUntraced(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
