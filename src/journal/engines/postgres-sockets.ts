/** The sockets of the connections to PostgreSQL: the driver waits for the server to close them, and a server may hang. */

import { Socket } from "node:net";

/** Time for which a server may take to close its connections. */
const CLOSE_MS = 2_000;

/** Sockets as long as they are open. */
export class PostgresSockets {
  readonly #open = new Set<Socket>();

  /** Makes the socket of a connection. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    return socket;
  };

  /** Ends all connections; what the server does not close in time is cut. */
  async end(connections: () => Promise<void>): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, CLOSE_MS);
    await connections();
    const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));
    await Promise.all(Array.from(this.#open, closed));
    clearTimeout(cut);
  }
}
