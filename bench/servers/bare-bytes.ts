/** The yardstick for reading: bare `node:http` that answers every request with the bytes of a file. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const text = readFileSync(process.argv[2] as string, "utf8");
const length = Buffer.byteLength(text);

const server = createServer((_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": length });
  response.end(text);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
