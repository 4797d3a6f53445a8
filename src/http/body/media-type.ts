/** `Content-Type` and `Content-Encoding` of request bodies. */

import type { IncomingHttpHeaders } from "node:http";
import { invalidRequest, RequestRefused } from "../errors.ts";

/** The format of a body. */
export type BodyFormat = "json" | "ndjson" | "form";

const FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  ["application/json", "json"],
  ["application/x-ndjson", "ndjson"],
  ["application/x-www-form-urlencoded", "form"],
]);

const PARAMETER = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)=(?:"([^"]*)"|([^\s"]*))\s*$/i;

/** The bodies that a route takes. */
interface AcceptedBody {
  readonly format?: "json" | "form";
  /** Another content type of JSON. */
  readonly alsoType?: string;
  readonly stream?: unknown;
}

/**
 * The format of a body by its headers, before any of it is read.
 * @throws AuthorizerError "invalid_request" for a content type that the route does not take; 415 for a content coding
 */
export function checkBodyHeaders(headers: IncomingHttpHeaders, accepted: AcceptedBody): BodyFormat {
  const format = bodyFormat(headers["content-type"], accepted.alsoType);
  const streamed = format === "ndjson" && accepted.stream !== undefined;
  if (format === undefined || (!streamed && format !== (accepted.format ?? "json")))
    throw wrongType(accepted);
  if (headers["content-encoding"] !== undefined) refuseCoding(headers["content-encoding"]);
  return format;
}

function wrongType({ format, alsoType, stream }: AcceptedBody): Error {
  if (format === "form") {
    return new RequestRefused(415, "Content-Type must be application/x-www-form-urlencoded");
  }
  const other = alsoType ?? (stream === undefined ? undefined : "application/x-ndjson");
  const wanted = other === undefined ? "application/json" : `application/json or ${other}`;
  return invalidRequest([], `Content-Type must be ${wanted}, in UTF-8`);
}

/** The format that a `Content-Type` names; undefined for another type, or another charset than UTF-8. */
function bodyFormat(contentType: string | undefined, also: string | undefined): BodyFormat | undefined {
  if (contentType === "application/json") return "json";
  if (contentType === undefined) return undefined;
  const [type, ...parameters] = contentType.split(";");
  const name = (type as string).trim().toLowerCase();
  const format = name === also ? "json" : FORMATS.get(name);
  return parameters.every(isAcceptable) ? format : undefined;
}

function isAcceptable(parameter: string): boolean {
  if (parameter.trim() === "") return true;
  const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
  if (name === undefined) return false;
  return name.toLowerCase() !== "charset" || (quoted ?? plain)?.toLowerCase() === "utf-8";
}

/** Throws 415 for a body with a coding such as gzip: its size would say nothing about what it unpacks to. */
function refuseCoding(contentEncoding: string): void {
  if (contentEncoding.trim().toLowerCase() === "identity") return;
  throw new RequestRefused(415, "Content-Encoding: only identity is accepted", [
    "Accept-Encoding",
    "identity",
  ]);
}
