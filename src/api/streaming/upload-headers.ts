/** Headers of requests that the streaming listener sends on (spec/exchange §6). */

import type { SentHeaders } from "../../identity/identity.ts";

/** Headers of a connection, of a client's credential, and of what proxies tell this service. */
const DROPPED: ReadonlySet<string> = new Set([
  // Answers are read as texts.
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-amz-security-token",
]);
const OF_PROXIES = /^x-(?:svc|original)-/;
/** Headers of the form of a chunk-signed body. */
const OF_CHUNKS: ReadonlySet<string> = new Set([
  "x-amz-content-sha256",
  "x-amz-decoded-content-length",
  "x-amz-trailer",
]);
const ENCODING = "content-encoding";
const CHUNKED = "aws-chunked";

/** The headers of a request as they go upstream, without a credential and the length of a body. */
export function headersOnward(headers: SentHeaders): Map<string, string> {
  const onward = new Map<string, string>();
  for (const name of headers.keys()) {
    if (!DROPPED.has(name) && !OF_PROXIES.test(name)) onward.set(name, headers.get(name) ?? "");
  }
  return onward;
}

/** The same without what describes a body in chunks. */
export function unwrappedHeaders(headers: SentHeaders): Map<string, string> {
  const onward = headersOnward(headers);
  for (const name of OF_CHUNKS) onward.delete(name);
  const encodings = (onward.get(ENCODING) ?? "").split(",").map((one) => one.trim());
  const left = encodings.filter((one) => one !== "" && one.toLowerCase() !== CHUNKED);
  if (left.length > 0) onward.set(ENCODING, left.join(","));
  else onward.delete(ENCODING);
  return onward;
}
