/**
 * Reads the original request from the headers of each proxy (spec/security §2.1, spec/security §2.2). Only the named
 * headers are read; a missing or repeated one makes the subrequest invalid.
 */

import type { RequestHeaders } from "./request-headers.ts";

/** Kinds of proxy, by `authorizer.forward_auth.proxy`. */
export type ProxyKind = "nginx" | "caddy" | "traefik" | "envoy";

/** The base path of forward-auth. */
export const BASE = "/forward-auth";
/** The path of the bodies of refusals for nginx, which drops the bodies of subrequests. */
export const ERROR_PATH = `${BASE}/error`;
const ENVOY = `${BASE}/envoy`;

/** The request that a proxy asks about, nothing decoded. */
export interface OriginalRequest {
  readonly method: string;
  /** Path with query, as the client sent it. */
  readonly uri: string;
  readonly host: string;
  /** `Content-Length` of the client, which subrequests lose; undefined if the proxy does not send it. */
  readonly contentLength: string | undefined;
}

/** A subrequest. */
interface Subrequest {
  readonly method: string;
  /** Raw request target. */
  readonly target: string;
  readonly headers: RequestHeaders;
}

interface HeaderNames {
  readonly method: string;
  readonly uri: string;
  readonly host: string;
}

const FORWARDED: HeaderNames = {
  method: "x-forwarded-method",
  uri: "x-forwarded-uri",
  host: "x-forwarded-host",
};

const NAMES: Readonly<Record<Exclude<ProxyKind, "envoy">, HeaderNames>> = {
  nginx: { method: "x-original-method", uri: "x-original-uri", host: "x-original-host" },
  caddy: FORWARDED,
  traefik: FORWARDED,
};

const METHOD = /^[A-Z]{1,32}$/;
/** A path with query as request lines have them: visible ASCII, no fragment. */
const URI = /^\/[!-"$-~]*$/;
const HOST = /^[!-~]{1,512}$/;
/** Characters of a path with query. Over HTTP, headers have less room by default; a message of gRPC has a megabyte. */
const MOST_URI = 64 << 10;

/** The original request, or undefined if the subrequest is invalid. */
export function originalRequest(proxy: ProxyKind, subrequest: Subrequest): OriginalRequest | undefined {
  const { headers, target, method } = subrequest;
  const contentLength = headers.get("x-original-content-length");
  if (contentLength !== undefined && headers.repeated.has("x-original-content-length")) return undefined;
  const told =
    proxy === "envoy"
      ? { method, uri: envoyUri(target), host: headers.single("host") }
      : isBase(target)
        ? toldBy(headers, NAMES[proxy])
        : undefined;
  return told && requestAsTold(told, contentLength);
}

/** A request as a proxy tells it; undefined where a part is missing or is nothing that a request can have. */
export function requestAsTold(
  { method, uri, host }: Readonly<Record<"method" | "uri" | "host", string | undefined>>,
  contentLength: string | undefined,
): OriginalRequest | undefined {
  if (method === undefined || uri === undefined || host === undefined) return undefined;
  if (uri.length > MOST_URI || !METHOD.test(method) || !URI.test(uri) || !HOST.test(host)) return undefined;
  return { method, uri, host, contentLength: contentLength === "" ? undefined : contentLength };
}

/** Path and query of a URI; the query may be "". */
export function splitUri(uri: string): readonly [path: string, query: string] {
  const mark = uri.indexOf("?");
  return mark < 0 ? [uri, ""] : [uri.slice(0, mark), uri.slice(mark + 1)];
}

function toldBy(headers: RequestHeaders, names: HeaderNames) {
  return {
    method: headers.single(names.method),
    uri: headers.single(names.uri),
    host: headers.single(names.host),
  };
}

/** The query of `/forward-auth` itself is ignored: Caddy appends the client's. */
function isBase(target: string): boolean {
  return target === BASE || target.startsWith(`${BASE}?`);
}

/** Envoy asks at the path of the client, behind a prefix. */
function envoyUri(target: string): string | undefined {
  return target.startsWith(`${ENVOY}/`) ? target.slice(ENVOY.length) : undefined;
}
