/** The fields of `/request` (spec/decision-api §3): a request of a data server as it was on the wire. */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import type { Api, WireRequest } from "../../../request-map/endpoints.ts";
import type { DecisionLimits } from "../limits.ts";
import { apiOf } from "./request-api.ts";

/** The request in a body that was checked. */
export interface GivenRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string | Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly api: Api;
  readonly bucket?: string;
  readonly facts?: Readonly<Record<string, string>>;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Returns the request.
 * @param problems takes what is wrong beyond what schemas say
 */
export function wireRequest(
  given: GivenRequest,
  limits: DecisionLimits,
  s3Domains: readonly string[],
  problems: Problem[],
): WireRequest {
  const { method, path, body, facts = {} } = given;
  const headers = headersOf(given.headers ?? {}, problems);
  const header = (name: string) => headers.get(name);
  const query = queryOf(given.query ?? "", limits.headersBytes, problems);
  return {
    method,
    path,
    query,
    header,
    ...(body === undefined ? {} : { body }),
    facts: new Map(Object.entries(facts)),
    ...apiOf(given, { header, query }, s3Domains, problems),
  };
}

/** The raw query, from itself or an object of names with a value each or several. */
function queryOf(given: NonNullable<GivenRequest["query"]>, bytes: number, problems: Problem[]): string {
  if (typeof given === "string") return given;
  const pointer = "/query";
  if (!Object.keys(given).every((name) => name.isWellFormed())) {
    problems.push({ pointer, message: "not well-formed Unicode" });
    return "";
  }
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  const query = pairs.join("&");
  if (query.length > bytes) problems.push({ pointer, message: `longer than ${bytes} bytes` });
  return query;
}

/** Headers by lower-case name, without the white space around values that no server sees. */
function headersOf(
  given: Readonly<Record<string, string>>,
  problems: Problem[],
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, text] of Object.entries(given)) {
    const pointer = pointTo("/headers", name);
    if (!TOKEN.test(name)) problems.push({ pointer, message: "no name of a header" });
    if (/[\0\r\n]/.test(text)) problems.push({ pointer, message: "has a character that no header can have" });
    headers.set(name.toLowerCase(), text.trim());
  }
  return headers;
}
