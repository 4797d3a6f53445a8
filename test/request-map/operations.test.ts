import type { EndpointRow } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { describe, expect, it } from "vitest";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { type Asked, readLines, wireRequest, withoutSets } from "./fixtures.ts";

/** A request of an operation, and what it needs: written from the data server, not from the tables. */
interface OperationCase {
  readonly api: "main" | "gateway" | "replication";
  readonly operation: string;
  readonly method: string;
  readonly target: string;
  readonly authentication: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly facts?: Readonly<Record<string, string>>;
  /** Resources are texts, with `<*>` for what is open. */
  readonly required: unknown;
  readonly per_item?: unknown;
  readonly body_missing?: true;
}

const catalog = await openCatalog({ partition: "svc" });
const endpoints = openEndpoints(catalog);
const cases = readLines<OperationCase>("operations.jsonl");

function asked({ api, method, headers, body, facts }: OperationCase): Asked {
  return {
    api,
    method,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
    ...(facts !== undefined && { facts: new Map(Object.entries(facts)) }),
  };
}

describe("the requests of each operation", () => {
  const named = cases.map((one) => [`${one.operation}: ${one.method} ${one.target}`, one] as const);
  it.each(named)("%s", (_, one) => {
    const found = endpoints.match(wireRequest(one.target, asked(one)));
    expect(withoutSets(found)).toEqual({
      operation: one.operation,
      authentication: one.authentication,
      required: one.required,
      ...(one.per_item !== undefined && { perItem: one.per_item }),
      bodyMissing: one.body_missing ?? false,
    });
  });

  it.each(["main", "gateway", "replication"] as const)("are there for every row of the %s table", (api) => {
    const answered = (row: EndpointRow): boolean => row.path !== null;
    const rows = catalog.endpoints
      .get(api)
      ?.rows.filter(answered)
      .map(({ operation }) => operation);
    const tested = new Set(cases.filter((one) => one.api === api).map(({ operation }) => operation));
    expect(new Set(rows)).toEqual(tested);
  });
});

describe("another partition", () => {
  it("is in every ARN of every answer", async () => {
    const other = openEndpoints(await openCatalog({ partition: "acme" }));
    for (const one of cases) {
      const request = wireRequest(one.target, asked(one));
      const mine = JSON.stringify(endpoints.match(request));
      expect(JSON.stringify(other.match(request))).toBe(mine.replaceAll("arn:svc:", "arn:acme:"));
    }
  });
});
