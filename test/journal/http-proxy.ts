/** A proxy before an HTTP server of a test: for what the real service says and its small relative does not. */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** An event in place of the plain answer to a request. */
export type Interference =
  /** Answered with this status, unseen by the server. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Served, and the connection is cut before the answer. */
  | "lose the answer"
  /** Never answered, unseen by the server. */
  | "hang"
  /** Served, and the answer's body is replaced. */
  | ((body: string) => string);

/** A running proxy. */
export interface HttpProxy {
  readonly endpoint: string;
  /** Asked for each request; undefined leaves it alone. */
  interfere: (request: IncomingMessage) => Interference | undefined;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startHttpProxy(target: number): Promise<HttpProxy> {
  const server = createServer((incoming, answer) => {
    const interference = proxy.interfere(incoming);
    if (interference === "hang") return;
    if (typeof interference === "object") {
      answer.writeHead(interference.status, interference.headers).end(interference.body ?? "{}");
      return;
    }
    forward(incoming, answer, target, interference);
  });
  const port = await listening(server);
  const proxy: HttpProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    interfere: () => undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return proxy;
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

/** Lets a server listen on a free port, which is returned. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
