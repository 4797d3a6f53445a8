/** Reads the request that Envoy asks about from its attributes (spec/security §2.12). */

import { isIP } from "node:net";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { AskingCall } from "../../decisions/decision-log.ts";
import { plainAddress } from "../../http/request/client-address.ts";
import type { AskedRequest } from "../forward-auth/decide-request.ts";
import { requestAsTold } from "../forward-auth/proxies.ts";
import { RequestHeaders } from "../forward-auth/request-headers.ts";
import type { CheckRequest, HeaderValue } from "./messages.ts";

/**
 * The request with its client's address, which Envoy determines.
 * @throws AuthorizerError "not_allowed" for attributes that do not describe a request
 */
export function askedRequest(
  { attributes }: CheckRequest,
  requestId: string,
  call: AskingCall,
): AskedRequest {
  const http = attributes?.request?.http;
  const { headers: listed, isCut = false } = http?.header_map ?? {};
  if (http === undefined || http === null) throw refused("the call describes no HTTP request");
  // The map of headers, which Envoy sends else, hides which of them came more than once.
  if (listed === undefined) throw refused("set encode_raw_headers: true in the filter ext_authz of Envoy");
  const headers = new RequestHeaders(rawHeaders(listed));
  if (isCut || headers.tooMany) throw refused("the request has too many headers");
  const contentLength = headers.get("content-length");
  if (headers.repeated.has("content-length") || headers.repeated.has("host")) {
    throw refused("Content-Length or Host came more than once");
  }
  const { method, path: uri, host } = http;
  const original = requestAsTold({ method, uri, host }, contentLength);
  if (original === undefined) throw refused("the call does not describe the client's request");
  const source = plainAddress(attributes?.source?.address?.socket_address?.address ?? "");
  if (isIP(source) === 0) throw refused("the call names no address of the client");
  return { original, headers, source, requestId, call };
}

/** Name and value in turn, as `node:http` has them; without the pseudo headers of HTTP/2. */
function rawHeaders(listed: readonly HeaderValue[]): readonly string[] {
  return listed.flatMap(({ key, value, raw_value: raw }) =>
    key.startsWith(":") ? [] : [key, raw.length > 0 ? raw.toString("latin1") : value],
  );
}

function refused(message: string): AuthorizerError {
  return new AuthorizerError("not_allowed", message);
}
