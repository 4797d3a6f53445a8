/**
 * Connections of clients who showed a credential stay open, however many one address has, whatever strangers open beside
 * them, and longer than a request may take (spec/security §5.3).
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sized } from "../proofs/size.ts";
import { flood } from "./connection-flood.ts";
import { STEADY_QUESTION } from "./hostile-directory.ts";
import { type HostileService, startHostile } from "./hostile-service.ts";
import { cleanUp } from "./program.ts";

const CLIENTS = sized(300, 1_000);
const AT_ONCE = 50;

let service: HostileService;
beforeAll(async () => {
  const items = {
    // One address may have half of these, which the clients exceed, and strangers fill the rest.
    "authorizer.limits.connections": CLIENTS + 100,
    "authorizer.limits.request_timeout": "1s",
    // Connections of trusted peers would not count.
    "authorizer.trusted_proxies": [],
  };
  service = await startHostile({ items });
}, 60_000);
afterAll(cleanUp);

/** A client that keeps its connection. */
class Client {
  readonly #socket: Socket;

  constructor() {
    const { hostname, port } = new URL(service.program.service);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("error", () => {});
  }

  /** Asks on its connection; the status, or "closed". */
  async ask(): Promise<string> {
    const head = [
      "POST /access/v1/check HTTP/1.1",
      "Host: test",
      `Authorization: Bearer ${service.token}`,
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

/** Asks on all connections, some at once; the statuses that came. */
async function askAll(clients: readonly Client[]): Promise<ReadonlyMap<string, number>> {
  const statuses = new Map<string, number>();
  for (let from = 0; from < clients.length; from += AT_ONCE) {
    for (const status of await Promise.all(clients.slice(from, from + AT_ONCE).map((one) => one.ask())))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

it("idle connections of clients of one address are not touched by limits, deadlines and strangers", async () => {
  const clients: Client[] = [];
  try {
    // A few at a time: until it has asked, a client is a stranger, and one address may not have so many of those.
    const first = new Map<string, number>();
    while (clients.length < CLIENTS) {
      const few = Array.from({ length: AT_ONCE }, () => new Client());
      clients.push(...few);
      for (const [status, count] of await askAll(few)) first.set(status, (first.get(status) ?? 0) + count);
    }
    expect(first).toEqual(new Map([["200", CLIENTS]]));
    const opened = await service.metric("svc_authorizer_connections");
    expect(opened).toBeGreaterThanOrEqual(CLIENTS);
    const silence = { name: "silence", listener: "service", text: "" } as const;
    await flood(service, silence, 600, () => service.ask(false));
    expect(await service.metric("svc_authorizer_connections_given_up_total")).toBeGreaterThan(0);
    // More than twice as long as a request may take.
    const idle = performance.now() + 2_500;
    await expect.poll(() => performance.now() > idle, { timeout: 10_000, interval: 100 }).toBe(true);
    expect(await askAll(clients)).toEqual(new Map([["200", CLIENTS]]));
  } finally {
    for (const client of clients) client.end();
  }
}, 180_000);
