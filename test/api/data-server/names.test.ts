import {
  type Guards,
  groupNameProblem,
  policyNameProblem,
  userNameProblem,
} from "@svc-authorizer/policy/model/names.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSegment } from "../../../src/api/rest/operation.ts";
import { openedOnce } from "../../opened.ts";
import { startApi, twice } from "./api-kit.ts";

const ALLOW = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };

/** Names of any printable characters; the odd ones more often. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      "%",
      "2",
      "5",
      "F",
      "/",
      "+",
      " ",
      ".",
      "?",
      "*",
      "#",
      "&",
      "日",
      "é",
      "😀",
      "\u0301",
      "|",
      "@",
    ),
    minLength: 1,
    maxLength: 12,
  }),
  fc.constantFrom(
    "a+b@x.io",
    "oidc|x y&",
    "a/b",
    "...",
    "100 percent",
    "ACL(_-_)Admins",
    "__proto__",
    "ls",
    "policies",
  ),
  fc.nat(1023).map((length) => "x".repeat(length + 1)),
);

describe.each(["strict", "lenient"] as const)("with %s guards", (guards: Guards) => {
  const api = openedOnce(() =>
    startApi({ "authorizer.guards": guards, "authorizer.limits.headers_bytes": "64KiB" }),
  );

  const expectStatus = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<unknown> => {
    const answer = await api.call(method, path, body);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
    return answer.body;
  };

  it("every name that is allowed is created, read, listed, attached and deleted through the double encoding", async () => {
    const allowed = name.filter((text) =>
      [userNameProblem, groupNameProblem, policyNameProblem].every(
        (problem) => problem(text, guards) === undefined,
      ),
    );
    await fc.assert(
      fc.asyncProperty(allowed, async (text) => {
        const path = twice(text);
        const query = `prefix=${encodeURIComponent(text)}`;
        await expectStatus(201, "POST", "/auth/users", { username: text });
        await expectStatus(201, "POST", "/auth/groups", { id: text });
        await expectStatus(201, "POST", "/auth/policies", { name: text, statement: [ALLOW] });
        expect(await expectStatus(200, "GET", `/auth/users/${path}`)).toMatchObject({ username: text });
        expect(await expectStatus(200, "GET", `/auth/groups/${path}`)).toMatchObject({
          id: text,
          name: text,
        });
        expect(await expectStatus(200, "GET", `/auth/policies/${path}`)).toMatchObject({ name: text });
        for (const kind of ["users", "groups", "policies"]) {
          expect(await expectStatus(200, "GET", `/auth/${kind}?${query}`)).toMatchObject({
            pagination: { results: 1 },
          });
        }
        await expectStatus(201, "PUT", `/auth/groups/${path}/members/${path}`);
        await expectStatus(201, "PUT", `/auth/groups/${path}/policies/${path}`);
        await expectStatus(201, "PUT", `/auth/users/${path}/policies/${path}`);
        const effective = await expectStatus(
          200,
          "GET",
          `/auth/users/${path}/policies?effective=true&${query}`,
        );
        expect(effective).toMatchObject({ results: [{ name: text }] });
        const key = (await expectStatus(201, "POST", `/auth/users/${path}/credentials`)) as Record<
          string,
          string
        >;
        const read = await expectStatus(200, "GET", `/auth/credentials/${key["access_key_id"]}`);
        expect(read).toMatchObject({ user_name: text });
        for (const kind of ["users", "groups", "policies"])
          await expectStatus(204, "DELETE", `/auth/${kind}/${path}`);
        await expectStatus(404, "GET", `/auth/users/${path}`);
      }),
      { numRuns: 120 },
    );
  });

  it("every name that is refused is 400 when created and 404 when looked up", async () => {
    const refused = name.filter((text) => text.isWellFormed() && userNameProblem(text, guards) !== undefined);
    await fc.assert(
      fc.asyncProperty(refused, async (text) => {
        await expectStatus(400, "POST", "/auth/users", { username: text });
        if (text !== "." && text !== "..") await expectStatus(404, "GET", `/auth/users/${twice(text)}`);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a path segment", () => {
  it.each([
    ["a%2520b", "a b"],
    ["a%20b", "a b"],
    ["a+b", "a+b"],
    ["100%2525", "100%"],
    ["100%25", "100%"],
    ["a%25zz", "a%zz"],
    ["a%25ff", "a%ff"],
    ["%zz", undefined],
    ["%ff", undefined],
    ["a%252Fb", "a/b"],
    ["a%25252Fb", "a%2Fb"],
  ])("%s means %s", (segment, value) => {
    expect(decodeSegment(segment)).toBe(value);
  });

  it("is what was encoded twice, for any well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(text.isWellFormed());
        expect(decodeSegment(twice(text))).toBe(text);
      }),
    );
  });
});
