/** `Content-Type` of request bodies. */

import { RequestRefused } from "./errors.ts";

/** What a body is. */
export type BodyFormat = "json" | "ndjson";

const FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  ["application/json", "json"],
  ["application/x-ndjson", "ndjson"],
]);

const PARAMETER = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)=(?:"([^"]*)"|([^\s"]*))\s*$/i;

/** The format that a `Content-Type` names; undefined for another type, or another charset than UTF-8. */
export function bodyFormat(contentType: string | undefined): BodyFormat | undefined {
  if (contentType === "application/json") return "json";
  if (contentType === undefined) return undefined;
  const [type, ...parameters] = contentType.split(";");
  const format = FORMATS.get((type as string).trim().toLowerCase());
  return parameters.every(isHarmless) ? format : undefined;
}

function isHarmless(parameter: string): boolean {
  if (parameter.trim() === "") return true;
  const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
  if (name === undefined) return false;
  return name.toLowerCase() !== "charset" || (quoted ?? plain)?.toLowerCase() === "utf-8";
}

/** Throws 415 for a body with a coding such as gzip: its size would say nothing about what it unpacks to. */
export function refuseCoding(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === "identity") return;
  throw new RequestRefused(415, "Content-Encoding: only identity is accepted", [
    "Accept-Encoding",
    "identity",
  ]);
}
