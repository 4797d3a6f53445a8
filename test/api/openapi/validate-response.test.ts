import { describe, expect, it } from "vitest";
import { findOperation } from "./document.ts";
import { responseProblems } from "./validate-response.ts";

const JSON_TYPE = { "content-type": "application/json" };
const answer = (status: number, text: string, headers: Record<string, string> = JSON_TYPE) => ({
  status,
  headers: new Headers({ "x-request-id": "r-1", ...headers }),
  text,
});
const problems = (method: string, path: string, ...seen: Parameters<typeof answer>) =>
  responseProblems(method, path, answer(...seen)).join("\n");

const USER = { username: "alice", creation_date: 1 };
const GET_USER = "/api/v1/auth/users/alice";

describe("the check of answers", () => {
  it("lets what is documented pass", () => {
    expect(problems("GET", GET_USER, 200, JSON.stringify(USER))).toBe("");
    expect(problems("GET", `${GET_USER}?x=1`, 404, '{"message":"no"}')).toBe("");
    expect(problems("DELETE", GET_USER, 204, "", {})).toBe("");
    expect(
      problems("POST", "/access/v1/filter", 200, '{"index":1}\n', { "content-type": "application/x-ndjson" }),
    ).toBe("");
  });

  it("finds an operation that is not documented", () => {
    expect(problems("PATCH", GET_USER, 200, "{}")).toMatch(/no such operation/);
    expect(problems("GET", `${GET_USER}/`, 200, "{}")).toMatch(/no such operation/);
    expect(problems("GET", "/API/v1/healthcheck", 204, "", {})).toMatch(/no such operation/);
  });

  it("finds a status that is not documented", () => {
    expect(problems("GET", GET_USER, 201, JSON.stringify(USER))).toMatch(/status 201/);
    expect(problems("GET", GET_USER, 418, '{"message":"no"}')).toMatch(/status 418/);
  });

  it("finds another content type, and one without a body", () => {
    expect(problems("GET", GET_USER, 200, JSON.stringify(USER), {})).toMatch(/content type undefined/);
    expect(problems("GET", GET_USER, 200, JSON.stringify(USER), { "content-type": "text/html" })).toMatch(
      /text\/html/,
    );
    expect(problems("DELETE", GET_USER, 204, "", JSON_TYPE)).toMatch(/content type without a body/);
    expect(problems("DELETE", GET_USER, 204, "x", {})).toMatch(/there is a body/);
  });

  it("finds fields that are missing, wrong, or not documented", () => {
    expect(problems("GET", GET_USER, 200, '{"username":"alice"}')).toMatch(/creation_date/);
    expect(problems("GET", GET_USER, 200, '{"username":"alice","creation_date":1.5}')).toMatch(/integer/);
    expect(problems("GET", GET_USER, 200, JSON.stringify({ ...USER, shoe_size: 9 }))).toMatch(/shoe_size/);
    const list = {
      pagination: { has_more: false, next_offset: "", results: 1, max_per_page: 1 },
      results: [{}],
    };
    expect(problems("GET", "/api/v1/auth/users", 200, JSON.stringify(list))).toMatch(/results\/0/);
    expect(problems("GET", GET_USER, 200, "{")).toMatch(/not JSON/);
  });

  it("finds a missing or wrong header", () => {
    expect(problems("GET", GET_USER, 401, '{"message":"no"}')).toMatch(/WWW-Authenticate is missing/);
    const soon = { ...JSON_TYPE, "retry-after": "soon" };
    expect(problems("GET", GET_USER, 503, '{"message":"no"}', soon)).toMatch(/Retry-After/);
  });

  it("finds a line of NDJSON that is wrong or does not end", () => {
    const lines = { "content-type": "application/x-ndjson" };
    expect(problems("POST", "/access/v1/filter", 200, '{"index":-1}\n', lines)).not.toBe("");
    expect(problems("POST", "/access/v1/filter", 200, '{"index":1}', lines)).toMatch(/does not end/);
  });

  it("prefers a literal segment to a parameter", () => {
    const found = findOperation("GET", "/api/v1/auth/users/alice/external/principals/ls");
    expect(found?.operation.operationId).toBe("listUserExternalPrincipals");
    expect(findOperation("GET", "/api/v1/auth/users/a%252Fb/groups?amount=1")?.operation.operationId).toBe(
      "listUserGroups",
    );
  });
});
