// Stands for a data server: says which request came through, and for whom.
import { createServer } from "node:http";

createServer(({ method, url, headers }, response) => {
  response.setHeader("content-type", "application/json");
  response.end(`${JSON.stringify({ method, url, user: headers["x-svc-user"] })}\n`);
}).listen(Number(process.env.PORT ?? 8100));
