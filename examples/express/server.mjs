// A small Express application whose objects are protected by svc-authorizer.
import { AuthorizerClient } from "@svc-authorizer/client";
import { requirePermission } from "@svc-authorizer/client/express";
import express from "express";

const client = new AuthorizerClient({ url: process.env.AUTHORIZER_URL, token: process.env.AUTHORIZER_TOKEN });
const app = express();

/** Your authentication goes here; this example believes the header. */
const userOf = (request) => request.get("x-user");

app.delete(
  "/objects/:name",
  requirePermission(client, {
    action: "fs:DeleteObject",
    resource: (request) => `arn:svc:fs:::repository/data/object/${request.params.name}`,
    user: userOf,
  }),
  (request, response) => response.json({ deleted: request.params.name }),
);

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
