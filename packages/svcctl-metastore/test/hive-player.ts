/** A Hive metastore that answers what a server of its interface answered once. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A command line, and what went to one or two metastores and back, as base64. */
interface HiveTalk {
  args: string[];
  code: number;
  stdout: string;
  stderr: string;
  exchanges: { server: "first" | "second"; sent: string; answer: string }[];
}

const FILE = new URL("../../../fixtures/conversations/hive-metastore.json", import.meta.url);

/** The recorded ones. */
export const HIVE_TALKS: readonly HiveTalk[] = (
  JSON.parse(readFileSync(FILE, "utf8")) as { conversations: HiveTalk[] }
).conversations;

/** Answers what was recorded, and keeps what was asked otherwise. */
export async function playHive(exchanges: HiveTalk["exchanges"], strange: string[]) {
  const left = [...exchanges];
  const server = createServer((socket: Socket) => {
    let asked = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      asked = Buffer.concat([asked, chunk]);
      const [next] = left;
      const sent = Buffer.from(next?.sent ?? "", "base64");
      if (asked.length < sent.length) return;
      if (next === undefined || !asked.equals(sent)) {
        strange.push(asked.toString("latin1"));
        return void socket.destroy();
      }
      left.shift();
      asked = Buffer.alloc(0);
      // In two pieces, as networks do.
      const answer = Buffer.from(next.answer, "base64");
      socket.write(answer.subarray(0, 7));
      setImmediate(() => socket.write(answer.subarray(7)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    left,
    close: () => void server.close(),
  };
}
