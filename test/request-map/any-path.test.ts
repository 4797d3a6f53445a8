import type { EndpointRow } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Api } from "../../src/request-map/endpoints.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { sized } from "../proofs/size.ts";
import { outcome, wireRequest } from "./fixtures.ts";

const catalog = await openCatalog({ partition: "svc" });
const endpoints = openEndpoints(catalog);
const APIS: readonly Api[] = ["main", "gateway", "replication"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A row, and its path as a regular expression: what the tree of templates must agree with. */
interface Naive {
  readonly row: EndpointRow;
  readonly path: RegExp;
}

function naive(api: Api): readonly Naive[] {
  const { basePath = "", rows = [] } = catalog.endpoints.get(api) ?? {};
  return rows.flatMap((row) => {
    if (row.path === null) return [];
    const pattern = (basePath + row.path)
      .split(/(\{[^{}]+\})/)
      .map((part) => {
        if (!part.startsWith("{")) return RegExp.escape(part);
        return part.endsWith("+}") ? "[^]+" : "[^/]+";
      })
      .join("");
    const slash = api === "gateway" && row.path === "/{repository}" ? "/?" : "";
    return [{ row, path: new RegExp(`^${pattern}${slash}$`) }];
  });
}

const ORACLES = new Map(APIS.map((api) => [api, naive(api)]));

/** The path that the templates of an API are compared with; undefined where it has no such. */
function compared(api: Api, path: string): string | undefined {
  if (api !== "gateway") return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The rows of the API that the path fits, whatever their method, found by trying all. */
function fitting(api: Api, path: string): readonly EndpointRow[] {
  const text = compared(api, path);
  if (text === undefined) return [];
  return (ORACLES.get(api) ?? []).filter((it) => it.path.test(text)).map(({ row }) => row);
}

const literals = [...catalog.endpoints.values()]
  .flatMap(({ basePath, rows }) => rows.map(({ path }) => basePath + (path ?? "")))
  .flatMap((path) => path.split("/"))
  .filter((segment) => segment !== "" && !segment.startsWith("{"));
const ODD = [
  "",
  ".",
  "..",
  "a",
  "%2F",
  "a%2Fb",
  "%2e",
  "%252F",
  "+",
  "%",
  "%zz",
  "%00",
  "%FF",
  "a b",
  "é",
  "#",
  "?",
  "\\",
  "\ud800",
  ";",
  "*",
];
const segment = fc.oneof(
  { arbitrary: fc.constantFrom(...new Set(literals)), weight: 6 },
  { arbitrary: fc.constantFrom(...ODD), weight: 2 },
  { arbitrary: fc.string({ maxLength: 4 }), weight: 1 },
);
const templates = [...catalog.endpoints.values()].flatMap(({ basePath, rows }) =>
  rows.flatMap(({ path }) => (path === null ? [] : [basePath + path])),
);

/** A template with its parameters filled, sometimes with a segment too many or another one in place of it. */
const nearTemplate = fc
  .tuple(
    fc.constantFrom(...templates),
    fc.array(segment, { minLength: 4, maxLength: 4 }),
    fc.nat({ max: 11 }),
  )
  .map(([template, values, change]) => {
    const left = [...values];
    const segments = template.split("/").map((it) => (it.startsWith("{") ? (left.pop() ?? "x") : it));
    if (change === 0) segments.push(values[0] as string);
    if (change === 1) segments.splice(-1, 1, values[0] as string);
    if (change === 2) segments.pop();
    return segments.join("/");
  });
const path = fc.oneof(
  { arbitrary: nearTemplate, weight: 5 },
  { arbitrary: fc.array(segment, { maxLength: 9 }).map((segments) => `/${segments.join("/")}`), weight: 4 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 30 }), weight: 1 },
);
const paths = fc.array(path, { minLength: 20, maxLength: 20 });

describe("random paths", () => {
  it("100,000 of them never fit two templates, never throw, and match what trying all rows finds", () => {
    let matched = 0;
    const faults: unknown[] = [];
    const check = (api: Api, one: string): void => {
      const rows = fitting(api, one);
      for (const method of METHODS) {
        const answer = endpoints.match(wireRequest("", { api, method, path: one }));
        const mine = rows.filter((row) => row.method === method);
        const expected = mine.find(({ operation }) => operation === answer.operation);
        if (answer.operation !== null) matched++;
        // Only a query can be missing where a row fits: POST of the gateway has no operation without one.
        const unknown = answer.operation === null && answer.reason === "unknown_endpoint";
        const isMissed = unknown && mine.some(({ query }) => query.length === 0);
        const isWrong = answer.operation !== null && expected === undefined;
        const isTwofold = mine.some((row) => row.path !== mine[0]?.path);
        if (isMissed || isWrong || isTwofold) faults.push({ api, method, path: one, answer });
      }
    };
    const property = fc.property(paths, (some) => {
      for (const one of some) for (const api of APIS) check(api, one);
    });
    fc.assert(property, { numRuns: sized(500, 5_000) });
    expect(faults.slice(0, 5)).toEqual([]);
    expect(matched).toBeGreaterThan(sized(833, 10_000));
  });

  it("with random queries, bodies and headers they never throw", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const query = fc.oneof(
      text,
      fc.constantFrom("path=a", "delete", "uploads", "list-type=2&delimiter=/", "presign"),
    );
    const body = fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined });
    const property = fc.property(
      fc.constantFrom(...APIS),
      fc.constantFrom(...METHODS),
      path,
      query,
      body,
      fc.option(text, { nil: undefined }),
      (api, method, one, raw, parsed, header) => {
        const request = wireRequest("", { api, method, path: one, query: raw, body: parsed });
        const bucket = api === "gateway" && header !== undefined ? { bucket: header } : {};
        const answer = endpoints.match({ ...request, ...bucket, header: () => header });
        expect(outcome(answer)).not.toBe("");
      },
    );
    fc.assert(property, { numRuns: sized(500, 5_000) });
  });
});
