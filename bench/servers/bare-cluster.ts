/** The yardstick for several processes: `bare.ts` in two workers of node:cluster. */
import cluster from "node:cluster";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ANSWER = '{"decision":true}';
const WORKERS = Number(process.argv[2] ?? 2);

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`ready http://127.0.0.1:${port}`);
  });
  for (let worker = 0; worker < WORKERS; worker++) cluster.fork();
  process.on("SIGTERM", () => process.exit(0));
} else {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": ANSWER.length });
      response.end(ANSWER);
    });
  });
  server.listen(0, "127.0.0.1", () => (server.address() as AddressInfo).port);
  process.on("disconnect", () => process.exit(0));
}
