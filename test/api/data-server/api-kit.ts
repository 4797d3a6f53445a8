/** The real service, and ways to call its data-server API as a data server does. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import type { ConfigObject } from "../../../src/config/load.ts";
import { type Answer, call } from "../../http/call.ts";
import { documentedAnswer } from "../openapi/validate-response.ts";

/** A service with ways to call it. */
export interface Api {
  readonly authorizer: TestAuthorizer;
  /** File of the audit log. */
  readonly audit: string;
  /** Calls a path below `/api/v1`, with the data server's token and a JSON body where one is given. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the service. */
export async function startApi(config: ConfigObject = {}): Promise<Api> {
  const folder = mkdtempSync(join(tmpdir(), "authorization-api-"));
  const audit = join(folder, "audit.jsonl");
  const authorizer = await startAuthorizer({ config: { "authorizer.audit.output": audit, ...config } });
  return {
    authorizer,
    audit,
    call: (method, path, body, headers) => callApi(authorizer, method, path, body, headers),
    close: async () => {
      await authorizer.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Calls a path below `/api/v1`; the answer must be one that the OpenAPI document has. */
export async function callApi(
  { url, token }: { readonly url: string; readonly token: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = { body, headers: { authorization: `Bearer ${token}`, ...headers } };
  const target = `/api/v1${path}`;
  return documentedAnswer(method, target, await call(url, method, target, sent));
}

/** A name as the data server puts it into a path: encoded twice, some characters bare. */
export function twice(name: string): string {
  return escapePath(escapePath(name));
}

/** As Go's `url.PathEscape`. */
function escapePath(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll(/%(24|26|2B|3A|3D|40)/g, (escaped) => decodeURIComponent(escaped));
}

/** The answer to a request as bytes, for targets that clients tidy up. */
export async function rawCall(
  { url, token }: { readonly url: string; readonly token: string },
  method: string,
  target: string,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(url);
  const request = send({
    hostname,
    port,
    method,
    path: target,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response) text += piece;
  return { status: response.statusCode as number, text };
}
