/** Asks forward-auth as a proxy does. */

import { request as httpRequest } from "node:http";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { ACCESS_KEYS, PROXY_TOKEN, SECRET } from "../../gateways/start-behind-proxy.ts";
import { call } from "../../http/call.ts";

/** The answer that was received. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Names and values; a name may come more than once. */
export type Headers = readonly (readonly [string, string])[];

/** Sends headers just as they are given, repeated ones too. */
export function ask(
  url: string,
  path: string,
  headers: Headers,
  method = "GET",
  localAddress?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const from = localAddress === undefined ? {} : { localAddress };
    const options = { hostname, port, path, method, headers: headers.flat(), setHost: false, ...from };
    const sent = httpRequest(options as never, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (piece) => {
        body += piece;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on("error", reject).end();
  });
}

/** The header of an access key of fixtures/datasets/gateways.yaml. */
export const basic = (user: string, secret = SECRET): readonly [string, string] => [
  "Authorization",
  `Basic ${Buffer.from(`${ACCESS_KEYS.get(user)}:${secret}`).toString("base64")}`,
];
export const TOKEN = ["X-Svc-Proxy-Token", PROXY_TOKEN] as const;
export const HOST = ["Host", "authorizer"] as const;
/** A request that `writer` may send. */
export const READ = "/api/v1/repositories/data/branches";
/** The headers with which nginx describes a request. */
export const told = (uri = READ, method = "GET"): Headers => [
  HOST,
  TOKEN,
  ["X-Original-Method", method],
  ["X-Original-URI", uri],
  ["X-Original-Host", "data.example.com"],
];

export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
];

/** A login token of the user listener. */
export async function login(authorizer: TestAuthorizer, user: string): Promise<string> {
  const key = { access_key_id: ACCESS_KEYS.get(user), secret_access_key: SECRET };
  return (await call(authorizer.userUrl, "POST", "/api/v1/auth/login", { body: key })).body.token;
}
