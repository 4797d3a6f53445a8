/** Cosmos DB in this process: the server of the package, with what the vendor's service adds to it in a proxy. */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createHttpServer } from "@vercel/cosmosdb-server";
import type { CosmosdbOptions } from "../../src/journal/engines/cosmosdb-container.ts";

/** An event in place of the plain answer to a request. */
export type Interference =
  /** Answered with this status, unseen by the server. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Served, and the connection is cut before the answer. */
  | "lose the answer"
  /** Served, and the answer's body is replaced. */
  | ((body: string) => string);

/** A running server. */
export interface CosmosdbServer {
  readonly endpoint: string;
  /** Asked for each request; undefined leaves it alone. */
  interfere: (request: IncomingMessage) => Interference | undefined;
  /** Requests so far. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Starts an empty server. */
export async function startCosmosdb(): Promise<CosmosdbServer> {
  const database = createHttpServer({ keepAlive: true });
  const target = await listening(database);
  let requests = 0;
  const proxy = createServer((incoming, answer) => {
    requests += 1;
    const interference = server.interfere(incoming);
    if (typeof interference === "object") {
      answer.writeHead(interference.status, interference.headers).end(interference.body ?? "{}");
      return;
    }
    forward(incoming, answer, target, interference);
  });
  const port = await listening(proxy);
  const server = {
    endpoint: `http://127.0.0.1:${port}`,
    interfere: (): Interference | undefined => undefined,
    get requests() {
      return requests;
    },
    close: async () => {
      for (const one of [proxy, database]) {
        one.closeAllConnections();
        await new Promise<void>((resolve) => one.close(() => resolve()));
      }
    },
  } as CosmosdbServer;
  return server;
}

function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  port: number,
  interference: "lose the answer" | ((body: string) => string) | undefined,
): void {
  const { method, url, headers } = incoming;
  const onward = request({ host: "127.0.0.1", port, method, path: url, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      if (interference === "lose the answer") {
        incoming.socket.destroy();
        return;
      }
      const body = Buffer.concat(chunks);
      const sent = interference === undefined ? body : Buffer.from(interference(body.toString()));
      answer.writeHead(response.statusCode ?? 500, { ...response.headers, "content-length": sent.length });
      answer.end(sent);
    });
  });
  onward.on("error", () => incoming.socket.destroy());
  incoming.pipe(onward);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Options of an engine on the server, in a database of its own. */
export function cosmosdbOptions(
  server: CosmosdbServer,
  database: string,
  more: Partial<CosmosdbOptions> = {},
): CosmosdbOptions {
  return {
    endpoint: server.endpoint,
    key: Buffer.from("a key of tests").toString("base64"),
    database,
    container: "kvstore",
    throughput: undefined,
    autoscale: false,
    requestTimeoutMs: 5_000,
    warn: () => {},
    ...more,
  };
}
