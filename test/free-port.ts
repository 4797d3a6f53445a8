/** Ports for servers that cannot be told to choose one. */

import { createServer } from "node:net";

/**
 * Ports below those that systems give to connections and to servers that ask for any, so that nothing takes a port
 * between this look and the start of its server. Each process of a run has a part of them for itself.
 */
const FIRST = 20_000;
const PARTS = 240;
const PART = 50;

let looked = 0;

/** A TCP port of this machine that nothing listens on, another one each time. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PART; tries++) {
    const port = FIRST + (process.pid % PARTS) * PART + (looked++ % PART);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port among those of process ${process.pid}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "0.0.0.0", () => server.close(() => resolve(true)));
  });
}
