import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { describe, expect, it } from "vitest";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { type Asked, outcome, readLines, wireRequest, withoutSets } from "./fixtures.ts";

/**
 * A rule of reading (spec/security §2.4 to spec/security §2.7), a request, and the operation or the reason that answers it.
 */
interface ReadingCase {
  readonly rule: string;
  readonly api?: "main" | "gateway" | "replication";
  readonly method: string;
  readonly target: string;
  /** In place of the target's. */
  readonly path?: string;
  readonly bucket?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly facts?: Readonly<Record<string, string>>;
  readonly answer: string;
  /** A part of the message. */
  readonly message?: string;
  /** The resource of the one permission. */
  readonly resource?: string;
  readonly required?: unknown;
  /** Whether items are checked. */
  readonly per_item?: boolean;
}

const endpoints = openEndpoints(await openCatalog({ partition: "svc" }));
const cases = readLines<ReadingCase>("reading.jsonl");

function asked({ api, method, path, bucket, headers, facts, ...rest }: ReadingCase): Asked {
  return {
    method,
    ...(api !== undefined && { api }),
    ...(path !== undefined && { path }),
    ...(bucket !== undefined && { bucket }),
    ...(headers !== undefined && { headers }),
    ...(facts !== undefined && { facts: new Map(Object.entries(facts)) }),
    ...("body" in rest && { body: rest.body }),
  };
}

describe.each([...new Set(cases.map(({ rule }) => rule))])("%s", (rule) => {
  const ofRule = cases.filter((one) => one.rule === rule);

  it.each(ofRule.map((one) => [JSON.stringify({ ...one, rule: undefined }), one] as const))(
    "%s",
    (_, one) => {
      const found = endpoints.match(wireRequest(one.target, asked(one)));
      expect(outcome(found)).toBe(one.answer);
      if (found.operation === null) return expect(found.message).toContain(one.message ?? "");
      if (one.resource !== undefined)
        expect(withoutSets(found.required)).toMatchObject({ resource: one.resource });
      if (one.required !== undefined) expect(withoutSets(found.required)).toEqual(one.required);
      if (one.per_item !== undefined) expect(found.perItem !== undefined).toBe(one.per_item);
    },
  );
});

describe("bounds", () => {
  const target = "/api/v1/repositories/r/branches/b/objects/delete";
  const deleting = (count: number) =>
    endpoints.match(wireRequest(target, { method: "POST", body: { paths: Array(count).fill("k") } }));

  it("a body may list 10,000 items, not more", () => {
    expect(deleting(10_000)).toMatchObject({ required: { and: { length: 10_000 } }, bodyMissing: false });
    expect(deleting(10_001)).toMatchObject({ reason: "unreadable_request" });
  });

  it("a query may have 1,000 parameters, not more", () => {
    const listing = (count: number) =>
      outcome(endpoints.match(wireRequest(`/api/v1/repositories?${Array(count).fill("x").join("&")}`)));
    expect([listing(1000), listing(1001)]).toEqual(["listRepositories", "unreadable_request"]);
  });

  it("an API without a table has no endpoints", () => {
    const request = wireRequest("/api/v1/repositories", { api: "other" as "main" });
    expect(endpoints.match(request)).toMatchObject({ reason: "unknown_endpoint" });
  });
});

describe("what is named like a member of every object", () => {
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "%s selects and reads nothing",
    (name) => {
      expect(outcome(endpoints.match(wireRequest(`/api/v1/${name}`)))).toBe("unknown_endpoint");
      expect(outcome(endpoints.match(wireRequest("/api/v1/repositories", { method: name })))).toBe(
        "unknown_endpoint",
      );
      const body: unknown = JSON.parse(`{"${name}":{"id":"a"}}`);
      const created = endpoints.match(wireRequest("/api/v1/auth/users", { method: "POST", body }));
      expect(outcome(created)).toBe("unreadable_request");
    },
  );

  it("members of a prototype are not members of a body", () => {
    const created = wireRequest("/api/v1/auth/users", { method: "POST", body: Object.create({ id: "a" }) });
    expect(outcome(endpoints.match(created))).toBe("unreadable_request");
  });
});
