// A small Hono application whose objects are protected by svc-authorizer.
import { serve } from "@hono/node-server";
import { AuthorizerClient } from "@svc-authorizer/client";
import { requirePermission } from "@svc-authorizer/client/hono";
import { Hono } from "hono";

const client = new AuthorizerClient({ url: process.env.AUTHORIZER_URL, token: process.env.AUTHORIZER_TOKEN });
const app = new Hono();

/** Your authentication goes here; this example believes the header. */
const userOf = (context) => context.req.header("x-user");

app.delete(
  "/objects/:name",
  requirePermission(client, {
    action: "fs:DeleteObject",
    resource: (context) => `arn:svc:fs:::repository/data/object/${context.req.param("name")}`,
    user: userOf,
  }),
  (context) => context.json({ deleted: context.req.param("name") }),
);

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
