/** Requests that are nearly those of the examples, for every operation that the documents declare. */

import fc from "fast-check";
import { allEntrances, type Entrance } from "../holds/entrances.ts";
import { change, changed } from "./mutated-values.ts";

/** A request to a listener. */
export interface MutatedRequest {
  readonly listener: Entrance["listener"];
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Operations after which the requests that follow would show less. */
const LEFT_OUT: ReadonlySet<string> = new Set(["restoreDirectory", "deleteCredentials"]);

const oddSegment = fc.constantFrom(
  ...["%00", "%2F", "%2e%2e", "%ff", "constructor", "__proto__", "%F0%9F%98%80", "a".repeat(5_000)],
  ...["%20", "*", "%3F", "a%2Fb", "%E2%80%AE", "%0a", "e%CC%81", "0", "-1", "1.x.y"],
);
const oddQuery = fc.constantFrom(
  ...["", "%00", "%ff", "-1", "0", "1e9", "1001", "99999999999999999999", "__proto__", "..", "*", "%D9%A3"],
  ...["a".repeat(3_000), "x%0d%0aY:z", "2026-13-01", "%5B%5D", "u:x", "userName%20eq%20%22", "(((((((((("],
  ...["not%20(a%20pr)", "a.b.c", "1.x.y", "null", "true"],
);
const oddHeader: fc.Arbitrary<readonly [string, string]> = fc.tuple(
  fc.constantFrom(
    ...["x-forwarded-for", "x-request-id", "traceparent", "if-match", "if-none-match", "if-modified-since"],
    ...["range", "accept", "accept-encoding", "cookie", "origin", "last-event-id", "x-svc-min-revision"],
    ...["x-svc-min-position", "content-encoding", "sec-fetch-site", "authorization"],
  ),
  fc.constantFrom(
    ...["", "x", "*/*;q=0", "a".repeat(3_000), "bytes=9999999-", "bytes=5-2", "00-0-0-0", "null", "1, 2,, 3"],
    ...["Bearer a.b.c", "Basic %%%", "AWS AKIA:x", "gzip;q=9", "0", "-1", "internal_auth_session=%"],
  ),
);
const oddBody = fc.constantFrom("", "{", "null", "[]", "\ufeff{}", '{"a":1,"a":2}', '"', "1e999", "\u0000");

/** Numbers that choose what happens to a part of a request. */
interface Choices {
  readonly segments: readonly (string | undefined)[];
  readonly values: readonly (readonly [isGiven: boolean, odd: string | undefined])[];
  readonly isRepeated: boolean;
  readonly header: readonly [string, string] | undefined;
  readonly changes: readonly Parameters<typeof changed>[1][];
  readonly body: string | undefined;
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 8, nil: undefined });
const choices: fc.Arbitrary<Choices> = fc.record({
  segments: fc.array(fc.option(oddSegment, { freq: 4, nil: undefined }), { minLength: 3, maxLength: 3 }),
  values: fc.array(fc.tuple(fc.boolean(), fc.option(oddQuery, { nil: undefined })), {
    minLength: 12,
    maxLength: 12,
  }),
  isRepeated: fc.boolean().map((flag) => flag),
  header: rarely(oddHeader),
  changes: fc.array(change, { maxLength: 3 }),
  body: rarely(oddBody),
});

/** A request of any operation. */
export const mutatedRequest: fc.Arbitrary<MutatedRequest> = fc
  .tuple(
    fc.constantFrom(...allEntrances().filter(({ operation }) => !LEFT_OUT.has(operation.operationId))),
    choices,
  )
  .map(([entrance, chosen]) => requestOf(entrance, chosen));

function requestOf(entrance: Entrance, chosen: Choices): MutatedRequest {
  const { listener, method, type } = entrance;
  const [name, value] = chosen.header ?? [];
  return {
    listener,
    method,
    target: pathOf(entrance, chosen) + queryOf(entrance, chosen),
    headers: {
      ...(type !== undefined && { "content-type": type }),
      ...(name !== undefined && value !== undefined && { [name]: value }),
    },
    body: bodyOf(entrance, chosen),
  };
}

/** Changes are made to `bob`: without the rights of `alice`, the requests that follow would all be refused. */
function pathOf({ method, template, parameters }: Entrance, { segments }: Choices): string {
  const isChange = method !== "GET" && method !== "POST";
  const inPath = parameters.filter(({ in: place }) => place === "path");
  return inPath.reduce((path, { name, example }, index) => {
    const text = isChange && example === "alice" ? "bob" : String(example);
    return path.replace(`{${name}}`, segments[index] ?? encodeURIComponent(text));
  }, template);
}

function queryOf({ parameters }: Entrance, { values, isRepeated }: Choices): string {
  const inQuery = parameters.filter(({ in: place }) => place === "query");
  const parts = inQuery.flatMap(({ name, example = "x" }, index) => {
    const [isGiven = false, odd = encodeURIComponent(String(example))] = values[index] ?? [];
    return isGiven ? [`${name}=${odd}`] : [];
  });
  const repeated = isRepeated && parts.length > 1 ? parts.slice(0, 1) : [];
  return parts.length === 0 ? "" : `?${[...parts, ...repeated].join("&")}`;
}

function bodyOf({ type, media }: Entrance, { changes, body }: Choices): string | undefined {
  if (type === undefined || media === undefined) return undefined;
  if (body !== undefined) return body;
  const { example } = media;
  const value = changes.reduce<unknown>(changed, example);
  if (typeof value === "string" && typeof example === "string") return value;
  if (!type.includes("urlencoded")) return JSON.stringify(value) ?? "";
  const fields = Object.entries(Object(value)).map(([name, one]) => [name, String(JSON.stringify(one))]);
  return new URLSearchParams(fields as [string, string][]).toString();
}
