/** Reads the values that a row names from a request, and nothing else. */

import { type CompiledRow, membersOf } from "./compiled-row.ts";
import { readCopySource } from "./copy-source.ts";
import type { WireRequest } from "./endpoints.ts";
import { readJsonPath } from "./json-members.ts";
import type { PathStyle } from "./path-styles.ts";
import type { QueryParameters } from "./query-parameters.ts";
import { Unreadable } from "./unreadable.ts";
import { checkValue } from "./value-rules.ts";

/** The values of placeholders. Open ones are missing. */
export type Values = ReadonlyMap<string, string>;

/** Largest number of items in one body: each item is a permission to decide. */
const MAX_ITEMS = 10_000;

/** Addresses that every parser of mail headers reads in the same way: no names, comments, quotes or routes. */
const PLAIN_EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+$/;

function readText(value: unknown, what: string): string | Unreadable {
  if (value === undefined) return new Unreadable(`${what} is missing`);
  if (typeof value !== "string") return new Unreadable(`${what} is no text`);
  return checkValue(value, what);
}

/** Reads an id, which the data server lower-cases if it sends an invitation to it. */
function readEmail(email: string, flag: string, body: unknown): string | Unreadable {
  const invited = readJsonPath(body, membersOf(flag), "body");
  if (invited instanceof Unreadable) return invited;
  if (invited === undefined || invited === false) return email;
  if (!PLAIN_EMAIL.test(email)) return new Unreadable("the id to invite is no plain e-mail address");
  return email.toLowerCase();
}

function readBody(
  { reads, row }: CompiledRow,
  body: unknown,
  values: Map<string, string>,
): Unreadable | undefined {
  for (const name of reads.body) {
    const found = readJsonPath(body, membersOf(name), "body");
    let value = found instanceof Unreadable ? found : readText(found, name);
    if (typeof value === "string" && row.email?.value === name) {
      value = readEmail(value, row.email.unlessFalse, body);
    }
    if (value instanceof Unreadable) return value;
    values.set(name, value);
  }
  return undefined;
}

function readHeaders(
  { reads }: CompiledRow,
  request: WireRequest,
  values: Map<string, string>,
): Unreadable | undefined {
  if (!reads.copySource) return undefined;
  const source = readCopySource(request.header("x-amz-copy-source") ?? "");
  if (source instanceof Unreadable) return source;
  values.set("copy_source.repository", source.repository);
  values.set("copy_source.key", source.key);
  return undefined;
}

function readOutside(
  compiled: CompiledRow,
  request: WireRequest,
  values: Map<string, string>,
): Unreadable | undefined {
  for (const name of compiled.reads.facts) {
    const fact = request.facts?.get(name);
    if (fact === undefined) continue;
    const value = checkValue(fact, name);
    if (value instanceof Unreadable) return value;
    values.set(name, value);
  }
  return readHeaders(compiled, request, values);
}

/** Reads the values of a row from path, query, headers and facts, and from the body if it is known. */
export function readValues(
  compiled: CompiledRow,
  request: WireRequest,
  segments: readonly string[],
  query: QueryParameters,
  style: PathStyle,
): Values | Unreadable {
  const values = new Map<string, string>();
  for (const [index, name] of compiled.parameters.entries()) {
    const decoded = style.value(segments[index] as string, `{${name}}`);
    const value = decoded instanceof Unreadable ? decoded : checkValue(decoded, `{${name}}`);
    if (value instanceof Unreadable) return value;
    values.set(name, value);
  }
  for (const name of compiled.reads.query) {
    const value = readText(query.values.get(name), `the parameter ${name}`);
    if (value instanceof Unreadable) return value;
    values.set(`query.${name}`, value);
  }
  const outside = readOutside(compiled, request, values);
  const inBody = request.body === undefined ? undefined : readBody(compiled, request.body, values);
  return outside ?? inBody ?? values;
}

/** The values of each item in the list of a body. */
export function readItems(
  { path, shown, values }: NonNullable<CompiledRow["items"]>,
  body: unknown,
): readonly Values[] | Unreadable {
  const list = readJsonPath(body, path, "body");
  if (list instanceof Unreadable) return list;
  if (!Array.isArray(list)) return new Unreadable(`${shown} is no list`);
  if (list.length > MAX_ITEMS) return new Unreadable(`${shown} has more than ${MAX_ITEMS} items`);
  const items: Values[] = [];
  for (const [index, item] of list.entries()) {
    const read = new Map<string, string>();
    for (const [name, members] of values) {
      const what = `${shown}[${index}]`;
      const found = readJsonPath(item, members, what);
      const value = found instanceof Unreadable ? found : readText(found, [what, ...members].join("."));
      if (value instanceof Unreadable) return value;
      read.set(name, value);
    }
    items.push(read);
  }
  return items;
}
