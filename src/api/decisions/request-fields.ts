/** The fields of `/request` (decision-api.md §3): a request of a data server as it was on the wire. */

import { pointTo } from "../../errors.ts";
import { isObject } from "../../http/json-body.ts";
import type { WireRequest } from "../../request-map/endpoints.ts";
import type { DecisionLimits } from "./limits.ts";
import type { Field, FieldReader } from "./native-fields.ts";
import { readApi } from "./request-api.ts";

/** Fields that describe the request. */
export const WIRE_FIELDS = ["method", "path", "query", "headers", "body", "api", "bucket", "facts"] as const;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const METHOD_BYTES = 32;

type Fields = ReadonlyMap<string, Field>;

/** Reads the request; what is wrong is told to the reader. */
export function readWireRequest(
  reader: FieldReader,
  fields: Fields,
  limits: DecisionLimits,
  s3Domains: readonly string[],
): WireRequest {
  const headers = readHeaders(reader, fields.get("headers"), limits.headersBytes);
  const body = fields.get("body")?.value;
  const request = {
    method: readMethod(reader, fields),
    path: readPath(reader, fields, limits),
    query: readQuery(reader, fields.get("query"), limits.headersBytes),
    header: (name: string) => headers.get(name),
    ...(body === undefined ? {} : { body }),
    facts: readTexts(reader, fields.get("facts"), limits.arnBytes),
  };
  return { ...request, ...readApi(reader, fields, request, s3Domains) };
}

function readMethod(reader: FieldReader, fields: Fields): string {
  const method = reader.text(fields.get("method"), "/method", METHOD_BYTES);
  const given = method !== "" || fields.get("method")?.value === "";
  if (given && !TOKEN.test(method)) reader.problem("/method", "no HTTP method");
  return method;
}

function readPath(reader: FieldReader, fields: Fields, limits: DecisionLimits): string {
  const path = reader.text(fields.get("path"), "/path", limits.headersBytes);
  const given = path !== "" || fields.get("path")?.value === "";
  if (given && !path.startsWith("/")) reader.problem("/path", "must begin with /");
  if (/[?#]/.test(path)) reader.problem("/path", "must have no ? and no #: the query is a field of its own");
  return path;
}

/** The raw query, or an object of names with a value each or several. */
function readQuery(reader: FieldReader, field: Field | undefined, bytes: number): string {
  if (field === undefined) return "";
  if (!isObject(field.value)) {
    if (typeof field.value !== "string") reader.problem(field.pointer, "expected a string or an object");
    else if (field.value.includes("#")) reader.problem(field.pointer, "must have no #");
    else return reader.text(field, field.pointer, bytes);
    return "";
  }
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(field.value)) {
    const pointer = pointTo(field.pointer, name);
    if (!name.isWellFormed()) reader.problem(field.pointer, "not well-formed Unicode");
    else if (!Array.isArray(value)) pairs.push(pairOf(reader, name, { value, pointer }));
    else {
      for (const [index, one] of value.entries()) {
        pairs.push(pairOf(reader, name, { value: one, pointer: pointTo(pointer, index) }));
      }
    }
  }
  const query = pairs.join("&");
  if (query.length > bytes) reader.problem(field.pointer, `longer than ${bytes} bytes`);
  return query;
}

function pairOf(reader: FieldReader, name: string, field: Field): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(reader.text(field, field.pointer))}`;
}

/** Headers by lower-case name, without the white space around values that no server sees. */
function readHeaders(
  reader: FieldReader,
  field: Field | undefined,
  bytes: number,
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, text] of readTexts(reader, field, bytes)) {
    const pointer = pointTo("/headers", name);
    if (!TOKEN.test(name)) reader.problem(pointer, "no name of a header");
    if (/[\0\r\n]/.test(text)) reader.problem(pointer, "has a character that no header can have");
    headers.set(name.toLowerCase(), text.trim());
  }
  return headers;
}

/** An object of texts. */
function readTexts(
  reader: FieldReader,
  field: Field | undefined,
  bytes: number,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (field === undefined) return texts;
  if (!isObject(field.value)) {
    reader.problem(field.pointer, "expected an object");
    return texts;
  }
  for (const [name, value] of Object.entries(field.value)) {
    const pointer = pointTo(field.pointer, name);
    texts.set(name, reader.text({ value, pointer }, pointer, bytes));
  }
  return texts;
}
