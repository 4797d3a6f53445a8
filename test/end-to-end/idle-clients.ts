/** Clients who ask once, and keep their connections. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Target } from "./hostile-calls.ts";
import { STEADY_QUESTION } from "./hostile-directory.ts";

const AT_ONCE = 50;

/** A client that keeps its connection. */
class Client {
  readonly #socket: Socket;
  readonly #token: string;

  constructor(service: Target) {
    this.#token = service.token;
    const { hostname, port } = new URL(service.program.service);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("error", () => {});
  }

  /** Asks on its connection; the status, or "closed". */
  async ask(): Promise<string> {
    const head = [
      "POST /access/v1/check HTTP/1.1",
      "Host: test",
      `Authorization: Bearer ${this.#token}`,
      "Content-Type: application/json",
      `Content-Length: ${STEADY_QUESTION.length}`,
    ];
    // Whatever ends the connection, the answer is that it ended.
    const answer = Promise.race([
      once(this.#socket, "data"),
      once(this.#socket, "close").then(() => []),
    ]).catch(() => []);
    if (this.#socket.destroyed || this.#socket.readableEnded) return "closed";
    this.#socket.write(`${head.join("\r\n")}\r\n\r\n${STEADY_QUESTION}`);
    const [data] = await answer;
    return data === undefined ? "closed" : String(data).slice(9, 12);
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Clients of one address. */
export class IdleClients {
  readonly #service: Target;
  readonly #most: number;
  readonly #clients: Client[] = [];

  constructor(service: Target, most: number) {
    this.#service = service;
    this.#most = most;
  }

  /**
   * Opens the connections and asks on each; the statuses that came. A few at a time: until it has asked, a client is a
   * stranger, and one address may not have so many of those.
   */
  async open(): Promise<ReadonlyMap<string, number>> {
    const statuses = new Map<string, number>();
    while (this.#clients.length < this.#most) {
      const few = Array.from({ length: AT_ONCE }, () => new Client(this.#service));
      this.#clients.push(...few);
      await askEach(few, statuses);
    }
    return statuses;
  }

  /** Asks on all connections, some at once; the statuses that came. */
  async askAll(): Promise<ReadonlyMap<string, number>> {
    const statuses = new Map<string, number>();
    for (let from = 0; from < this.#clients.length; from += AT_ONCE)
      await askEach(this.#clients.slice(from, from + AT_ONCE), statuses);
    return statuses;
  }

  /** Closes the connections. */
  end(): void {
    for (const client of this.#clients) client.end();
  }
}

async function askEach(clients: readonly Client[], statuses: Map<string, number>): Promise<void> {
  for (const status of await Promise.all(clients.map((one) => one.ask())))
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
}
