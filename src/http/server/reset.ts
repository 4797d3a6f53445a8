/** The end of a connection that leaves nothing of it with the operating system. */

import type { Socket } from "node:net";

/** The connections beneath those of TLS. */
const beneath = new WeakMap<Socket, Socket>();

/** Notes on which connection TLS is spoken: only that one can be reset. */
export function noteBeneath(socket: Socket, connection: Socket): void {
  if (socket !== connection) beneath.set(socket, connection);
}

/**
 * Ends a connection and what the operating system still holds for its peer, who may take an answer in minutes or never.
 * Without the connection beneath, one of TLS only ends.
 */
export function reset(socket: Socket): void {
  const connection = beneath.get(socket) ?? socket;
  // Of one that is closed already, Node would make an error.
  if ("encrypted" in connection || connection.destroyed) socket.destroy();
  else connection.resetAndDestroy();
}
