/** The yardstick: bare `node:http`, a POST whose body is parsed and answered with a constant. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBare } from "./bare-handler.ts";

const server = createServer(answerBare);
server.listen(0, "127.0.0.1", () =>
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
