/** The yardstick with TLS: bare `node:https`. Arguments: the files of the certificate and its key. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { answerBare } from "./bare-handler.ts";

const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));
const server = createServer({ cert, key }, answerBare);
server.listen(0, "127.0.0.1", () =>
  console.log(`ready https://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
