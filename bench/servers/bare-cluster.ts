/** The yardstick for several processes: `bare.ts` in two workers of node:cluster. */
import cluster from "node:cluster";
import { createServer } from "node:http";
import { answerBare } from "./bare-handler.ts";

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
  createServer(answerBare).listen(0, "127.0.0.1");
  process.on("disconnect", () => process.exit(0));
}
