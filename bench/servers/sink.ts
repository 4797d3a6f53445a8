/** Takes bodies and throws them away: the data server behind uploads. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { etag: '"e"' }).end());
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
