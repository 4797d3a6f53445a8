import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Endpoints, WireRequest } from "../../src/request-map/endpoints.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";

let endpoints: Endpoints;
beforeAll(async () => {
  endpoints = openEndpoints(await openCatalog({ partition: "svc" }));
});

const PUT: WireRequest = {
  api: "gateway",
  method: "PUT",
  path: "/r/main/k",
  query: "",
  header: () => undefined,
};
const COPY = { "x-amz-copy-source": "other/main/secret" };
const withHeaders = (headers: Readonly<Record<string, string>>): WireRequest => ({
  ...PUT,
  header: (name) => headers[name],
});

describe("a request that was read before", () => {
  it("gives the very same match", () => {
    expect(endpoints.match(PUT)).toBe(endpoints.match({ ...PUT }));
  });

  it("says nothing about one with a header that a row reads, before or after it", () => {
    for (const request of [PUT, withHeaders(COPY), PUT, withHeaders(COPY)]) {
      const copies = request !== PUT;
      expect(endpoints.match(request).operation).toBe(copies ? "CopyObject" : "PutObject");
    }
  });

  it.each<[string, Partial<WireRequest>]>([
    ["another API", { api: "main" }],
    ["another method", { method: "DELETE" }],
    ["another path", { path: "/r/main/k2" }],
    ["another query", { query: "partNumber=1&uploadId=u" }],
    ["a bucket in the host", { bucket: "b" }],
  ])("says nothing about %s", (_what, change) => {
    const before = endpoints.match(PUT);
    expect(endpoints.match({ ...PUT, ...change })).not.toEqual(before);
    expect(endpoints.match(PUT)).toEqual(before);
  });

  it("says nothing about one with a body or facts", () => {
    const merge: WireRequest = {
      ...PUT,
      api: "main",
      path: "/api/v1/repositories/r/pulls/1/merge",
    };
    const open = endpoints.match(merge);
    const facts = new Map([["pull_request.destination_branch", "dev"]]);
    expect(endpoints.match({ ...merge, facts })).not.toEqual(open);
    const remove: WireRequest = {
      ...merge,
      method: "POST",
      path: "/api/v1/repositories/r/branches/m/objects/delete",
    };
    expect(endpoints.match({ ...remove, body: { paths: ["a"] } })).not.toEqual(endpoints.match(remove));
  });

  it("cannot be mistaken for another by odd methods and paths", () => {
    const odd = { ...PUT, method: "PUT /r/main/k?", path: "" };
    expect(endpoints.match(odd).operation).toBeNull();
    expect(endpoints.match({ ...PUT, path: "/r/main/k?x=y" }).operation).toBeNull();
  });
});
