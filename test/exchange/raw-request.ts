/** Requests byte for byte. */

import { once } from "node:events";
import { connect } from "node:net";

/** Everything that came back. */
interface Received {
  /** Of the first answer; 0 without one. */
  readonly status: number;
  readonly text: string;
}

/** Sends lines of a head and a body as they are, and waits for the end of the connection. */
export async function rawRequest(port: number, lines: readonly string[], body = ""): Promise<Received> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  socket.on("error", () => undefined);
  socket.write(`${[...lines, "Connection: close", "", ""].join("\r\n")}${body}`);
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? 0), text };
}
