// A small Fastify application whose objects are protected by svc-authorizer.
import { AuthorizerClient } from "@svc-authorizer/client";
import { requirePermission } from "@svc-authorizer/client/fastify";
import Fastify from "fastify";

const client = new AuthorizerClient({ url: process.env.AUTHORIZER_URL, token: process.env.AUTHORIZER_TOKEN });
const app = Fastify();

/** Your authentication goes here; this example believes the header. */
const userOf = (request) => request.headers["x-user"];

app.delete(
  "/objects/:name",
  {
    preHandler: requirePermission(client, {
      action: "fs:DeleteObject",
      resource: (request) => `arn:svc:fs:::repository/data/object/${request.params.name}`,
      user: userOf,
    }),
  },
  async (request) => ({ deleted: request.params.name }),
);

const address = await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
console.log(`listening on ${address}`);
