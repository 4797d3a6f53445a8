// The client of svc-authorizer, made at the first request: a build has no addresses and no tokens.
import { AuthorizerClient } from "@svc-authorizer/client";

let client;
export const authorizer = () => {
  client ??= new AuthorizerClient({ url: process.env.AUTHORIZER_URL, token: process.env.AUTHORIZER_TOKEN });
  return client;
};

/** Your authentication goes here; this example believes the header. */
export const userOf = (headers) => headers.get("x-user") ?? undefined;

export const arnOf = (name) => `arn:svc:fs:::repository/data/object/${name}`;
