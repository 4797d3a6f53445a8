/** Cosmos DB in this process: the server of the package, with what the vendor's service adds to it in a proxy. */

import { createHttpServer } from "@vercel/cosmosdb-server";
import type { CosmosdbOptions } from "../../src/journal/engines/cosmosdb-container.ts";
import { type HttpProxy, listening, startHttpProxy } from "./http-proxy.ts";

/** Starts an empty server behind a proxy. */
export async function startCosmosdb(): Promise<HttpProxy> {
  const database = createHttpServer({ keepAlive: true });
  const proxy = await startHttpProxy(await listening(database));
  const { close } = proxy;
  proxy.close = async () => {
    await close();
    database.closeAllConnections();
    await new Promise<void>((resolve) => {
      database.close(() => resolve());
    });
  };
  return proxy;
}

/** Options of an engine on the server, in a database of its own. */
export function cosmosdbOptions(
  server: { readonly endpoint: string },
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
