/** A proxy before a database that drops answers: the request arrives, its answer never does. */

import { connect, createServer, type Socket } from "node:net";
import { listening } from "./http-proxy.ts";

/** A running proxy. */
export interface LossyProxy {
  readonly port: number;
  /** Drops the answer to the next request that contains a text, and closes its connection. */
  loseAnswer(text: string): void;
  /** Answers that were dropped so far. */
  readonly lost: number;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startLossyProxy(target: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  let wanted: string | undefined;
  let lost = 0;
  const server = createServer((client) => {
    const database = connect(target, "127.0.0.1");
    let isLosing = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (wanted !== undefined && bytes.includes(wanted)) {
        wanted = undefined;
        isLosing = true;
      }
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      if (!isLosing) {
        client.write(bytes);
        return;
      }
      lost += 1;
      client.destroy();
    });
  });
  const port = await listening(server);
  return {
    port,
    loseAnswer: (text) => {
      wanted = text;
    },
    get lost() {
      return lost;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
