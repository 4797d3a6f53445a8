// A small application in a pod; svc-authorizer beside it, on the loopback of the pod, says who may delete its objects.
import { createServer } from "node:http";
import { AuthorizerClient } from "@svc-authorizer/client";
import { requirePermission } from "@svc-authorizer/client/http";

const client = new AuthorizerClient({ url: process.env.AUTHORIZER_URL, token: process.env.AUTHORIZER_TOKEN });
const nameOf = (request) => decodeURIComponent(request.url.slice("/objects/".length));

const deleteObject = requirePermission(
  client,
  {
    action: "fs:DeleteObject",
    resource: (request) => `arn:svc:fs:::repository/data/object/${nameOf(request)}`,
    // Your authentication goes here; this example believes the header.
    user: (request) => request.headers["x-user"],
  },
  (request, response) => response.end(JSON.stringify({ deleted: nameOf(request) })),
);

createServer((request, response) => {
  const path = request.url ?? "/";
  if (path === "/healthz") response.end("ok");
  else if (request.method === "DELETE" && path.startsWith("/objects/")) deleteObject(request, response);
  else response.writeHead(404).end();
}).listen(Number(process.env.PORT ?? 3000), () => console.log("ready"));
