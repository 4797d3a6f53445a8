/** The answer of the decision API about a request that a proxy was told may pass. */

import type { RunningProgram } from "../program.ts";
import { CREDENTIALS } from "./full-service.ts";

/** A request of a client. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** Names and values of headers that a client can send. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True where `/access/v1/request` lets the user send the request, or it needs no right and `user` is `-`. */
export async function isAllowed(
  { service }: RunningProgram,
  user: string,
  { method, path, host, headers }: ClientRequest,
): Promise<boolean> {
  const [only = "", query = ""] = path.split(/\?(.*)/s);
  const others = headers.filter(
    ([name, value]) => NAME.test(name) && VALUE.test(value) && !/^(?:authorization|cookie|host)$/i.test(name),
  );
  const response = await fetch(`${service}/access/v1/request`, {
    method: "POST",
    headers: { authorization: CREDENTIALS.service, "content-type": "application/json" },
    body: JSON.stringify({
      user: user === "-" ? "nobody-of-that-name" : user,
      api: "main",
      ...{ method, path: only, query },
      headers: { ...Object.fromEntries(others.map(([name, value]) => [name.toLowerCase(), value])), host },
    }),
  });
  const { allowed, required } = (await response.json()) as { allowed?: boolean; required?: unknown };
  return allowed === true || (user === "-" && required === null);
}
