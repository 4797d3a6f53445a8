import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATA_SERVER_OPERATIONS } from "../../../src/api/resources/operations.ts";
import { BASE_PATH } from "../../../src/api/rest/operation.ts";
import { SCOPES, type Scope } from "../../../src/api/service-caller.ts";
import { sized } from "../../proofs/size.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type Api, callApi, rawCall, startApi } from "./api-kit.ts";

const TOKENS = Object.fromEntries(
  SCOPES.map((scope) => [scope, `token-with-scope-${scope}`.padEnd(40, "x")]),
);

let api: Api;
beforeAll(async () => {
  const tokens = SCOPES.map((scope) => ({ name: scope, token: TOKENS[scope], scopes: [scope] }));
  api = await startApi({ "authorizer.tokens": JSON.stringify(tokens) });
  await api.authorizer.directory.users.create({ username: "alice", encryptedPassword: "aGFzaA==" });
  await api.authorizer.directory.groups.create({ name: "team" });
});
afterAll(() => api.close());

/** Every operation with the scope that its call needs. */
const NEEDED: readonly [string, string, string, Scope | undefined][] = [
  ["healthCheck", "GET", "/healthcheck", undefined],
  ["getVersion", "GET", "/config/version", "read"],
  ["listUsers", "GET", "/auth/users", "read"],
  ["createUser", "POST", "/auth/users", "write"],
  ["getUser", "GET", "/auth/users/{userId}", "read"],
  ["deleteUser", "DELETE", "/auth/users/{userId}", "write"],
  ["updatePassword", "PUT", "/auth/users/{userId}/password", "write"],
  ["updateUserFriendlyName", "PUT", "/auth/users/{userId}/friendly_name", "write"],
  ["listUserGroups", "GET", "/auth/users/{userId}/groups", "read"],
  ["listGroups", "GET", "/auth/groups", "read"],
  ["createGroup", "POST", "/auth/groups", "write"],
  ["getGroup", "GET", "/auth/groups/{groupId}", "read"],
  ["deleteGroup", "DELETE", "/auth/groups/{groupId}", "write"],
  ["listGroupMembers", "GET", "/auth/groups/{groupId}/members", "read"],
  ["addGroupMembership", "PUT", "/auth/groups/{groupId}/members/{userId}", "write"],
  ["deleteGroupMembership", "DELETE", "/auth/groups/{groupId}/members/{userId}", "write"],
  ["listPolicies", "GET", "/auth/policies", "read"],
  ["createPolicy", "POST", "/auth/policies", "write"],
  ["getPolicy", "GET", "/auth/policies/{policyId}", "read"],
  ["updatePolicy", "PUT", "/auth/policies/{policyId}", "write"],
  ["deletePolicy", "DELETE", "/auth/policies/{policyId}", "write"],
  ["listUserPolicies", "GET", "/auth/users/{userId}/policies", "read"],
  ["attachPolicyToUser", "PUT", "/auth/users/{userId}/policies/{policyId}", "write"],
  ["detachPolicyFromUser", "DELETE", "/auth/users/{userId}/policies/{policyId}", "write"],
  ["listGroupPolicies", "GET", "/auth/groups/{groupId}/policies", "read"],
  ["attachPolicyToGroup", "PUT", "/auth/groups/{groupId}/policies/{policyId}", "write"],
  ["detachPolicyFromGroup", "DELETE", "/auth/groups/{groupId}/policies/{policyId}", "write"],
  ["listUserCredentials", "GET", "/auth/users/{userId}/credentials", "read"],
  ["createCredentials", "POST", "/auth/users/{userId}/credentials", "write"],
  ["getCredentialsForUser", "GET", "/auth/users/{userId}/credentials/{accessKeyId}", "read"],
  ["deleteCredentials", "DELETE", "/auth/users/{userId}/credentials/{accessKeyId}", "write"],
  ["getCredentials", "GET", "/auth/credentials/{accessKeyId}", "secrets"],
  ["listUserExternalPrincipals", "GET", "/auth/users/{userId}/external/principals/ls", "read"],
  ["createUserExternalPrincipal", "POST", "/auth/users/{userId}/external/principals", "write"],
  ["deleteUserExternalPrincipal", "DELETE", "/auth/users/{userId}/external/principals", "write"],
  ["getExternalPrincipal", "GET", "/auth/external/principals", "read"],
  ["claimTokenId", "POST", "/auth/tokenid/claim", "write"],
];

describe("the 37 operations", () => {
  it("are these", () => {
    const seen = DATA_SERVER_OPERATIONS.map(({ id, method, path, scope }) => [
      id,
      method,
      path.slice(BASE_PATH.length),
      scope,
    ]);
    expect(seen.length).toBe(37);
    expect(seen.sort()).toEqual(NEEDED.map((row) => [...row]).sort());
  });

  const cases = NEEDED.flatMap(([id, method, path, needed]) =>
    SCOPES.map((scope) => ({ id, method, path, needed, scope })),
  );

  it.each(cases)("$id with scope $scope alone (needs $needed)", async ({ method, path, needed, scope }) => {
    const token = TOKENS[scope] as string;
    const target = path.replaceAll(/\{\w+\}/g, "nobody");
    const answer = await callApi({ url: api.authorizer.url, token }, method, target);
    if (needed === undefined || needed === scope) expect([401, 403]).not.toContain(answer.status);
    else {
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain(needed);
    }
  });

  it.each(NEEDED)("%s without a token, or with a wrong one", async (_id, method, path, needed) => {
    const target = path.replaceAll(/\{\w+\}/g, "nobody");
    for (const token of ["", "wrong"]) {
      const { status, headers } = await callApi({ url: api.authorizer.url, token }, method, target);
      expect(status).toBe(needed === undefined ? 204 : 401);
      if (needed !== undefined) expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });
});

describe("a password", () => {
  it("is shown to callers with scope secrets only", async () => {
    const read = { url: api.authorizer.url, token: TOKENS["read"] as string };
    for (const path of ["/auth/users/alice", "/auth/users"]) {
      expect((await callApi(read, "GET", path)).text).not.toContain("aGFzaA");
      const all = await api.call("GET", path);
      expect(all.text).toContain("aGFzaA");
      expect(all.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("is not to be stored from the answer to the creation either", async () => {
    const body = { username: "with-password", encryptedPassword: "aGFzaA==" };
    const made = await api.call("POST", "/auth/users", body);
    expect([made.status, made.body.encryptedPassword]).toEqual([201, "aGFzaA=="]);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const other = await api.call("POST", "/auth/users", { username: "without-password" });
    expect([other.status, other.headers.get("cache-control")]).toEqual([201, null]);
  });
});

describe("odd paths", () => {
  it.each([
    ["DELETE", "/api/v1/auth/users/alice/"],
    ["DELETE", "/api/v1/auth/users//alice"],
    ["DELETE", "/api/v1//auth/users/alice"],
    ["DELETE", "//api/v1/auth/users/alice"],
    ["DELETE", "/api/v1/auth/users/alice/."],
    ["DELETE", "/api/v1/auth/users/x/../alice"],
    ["DELETE", "/api/v1/auth/users/%2E%2E"],
    ["DELETE", "/api/v1/auth/users/%252E%252E"],
    ["DELETE", "/api/v1/auth/users/."],
    ["DELETE", "/api/v1/auth/groups/team/"],
    ["DELETE", "/api/v1/auth/groups/team//"],
    ["GET", "/api/v1/auth/users/"],
    ["GET", "/api/v1/Auth/users"],
    ["GET", "/API/v1/auth/users"],
    ["GET", "/api/v1/auth/%75sers"],
    ["GET", "/api/v1/auth/users/%zz"],
    ["GET", "/api/v1/auth/users/%ff/groups"],
    ["GET", "/api/v1/auth/users/%00"],
    ["GET", "/api/v1/auth/users//groups"],
    ["GET", "/api/v1/auth/users;x=1"],
    ["GET", "/api/v1"],
    ["GET", "/api/v1/"],
    ["GET", "/api/v1/auth"],
    ["GET", "/api/v1x/auth/users"],
    ["GET", "/auth/users"],
    ["GET", "/api/v1/auth/users/alice/external"],
  ])("%s %s is 404", async (method, target) => {
    const { status, text } = await rawCall(api.authorizer, method, target);
    expect(status, text).toBe(404);
    expect(JSON.parse(text).message).toMatch(/\S/);
  });

  it("have removed nothing", async () => {
    expect((await api.call("GET", "/auth/users/alice")).status).toBe(200);
    expect((await api.call("GET", "/auth/groups/team")).status).toBe(200);
  });

  it("with another method are 405, and OPTIONS names the methods", async () => {
    const answer = await api.call("PATCH", "/auth/users/alice");
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, DELETE, OPTIONS");
    expect((await api.call("OPTIONS", "/auth/users")).status).toBe(204);
  });
});

describe("getCredentials", () => {
  it("gets any text as 404, whatever its length and script", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom("%", "%2", "..", "a/b", "x".repeat(5000), "日本 | Frìend", "\u0000", "*"),
    );
    await fc.assert(
      fc.asyncProperty(text, async (key) => {
        const encoded = encodeURIComponent(encodeURIComponent(key.toWellFormed()));
        fc.pre(!["%2E", "."].some((dots) => encoded.startsWith(dots)));
        const { status } = await rawCall(api.authorizer, "GET", `/api/v1/auth/credentials/${encoded}`);
        expect(status).toBe(404);
      }),
      { numRuns: 200 },
    );
  });
});

describe("whatever is sent", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "alice",
      "team",
      "users",
      "groups",
      "policies",
      "credentials",
      "%",
      "%25",
      "%2F",
      "..",
      "+",
      ";",
      "=",
    ),
    fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 6,
    }),
  );
  const target = fc
    .tuple(
      fc.constantFrom(...NEEDED.map(([, , path]) => path)),
      fc.array(piece, { maxLength: 3 }),
      fc.array(piece, { maxLength: 5 }),
    )
    .map(([path, values, query]) => {
      const filled = path.replaceAll(/\{\w+\}/g, () => values.pop()?.replaceAll(/[#?/]/g, "") || "x");
      return `/api/v1${filled}?amount=${query.join("&").replaceAll("#", "")}`;
    });
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .dictionary(
        fc.constantFrom(
          "username",
          "id",
          "name",
          "statement",
          "acl",
          "creation_date",
          "email",
          "token_id",
          "expires_at",
          "invite",
        ),
        fc.jsonValue(),
      )
      .map((value) => JSON.stringify(value)),
  );

  it("is answered or refused, never with a 5xx", async () => {
    await fc.assert(
      fc.asyncProperty(
        target,
        fc.constantFrom("GET", "POST", "PUT", "DELETE"),
        body,
        async (path, method, text) => {
          const { status, text: answer } = await rawCall(
            api.authorizer,
            method,
            path,
            method === "GET" ? undefined : text,
          );
          expect(status, `${method} ${path} ${answer}`).toBeLessThan(500);
          if (status >= 400) expect(Object.keys(JSON.parse(answer))).toEqual(["message"]);
        },
      ),
      { numRuns: sized(100, 600) },
    );
  });
});

describe("the audit log", () => {
  const records = (): Record<string, unknown>[] =>
    readFileSync(api.audit, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));

  it("has every write with who, what, before, after and request id, and no secret", async () => {
    const headers = { "x-request-id": "audited-1" };
    await api.call("POST", "/auth/users", { username: "audited", email: "a@x.io" }, headers);
    await api.call("PUT", "/auth/users/audited/friendly_name", { friendly_name: "A" }, headers);
    const made = await api.call("POST", "/auth/users/audited/credentials", undefined, headers);
    await api.call("GET", `/auth/credentials/${made.body.access_key_id}`, undefined, headers);
    await api.call("DELETE", "/auth/users/audited", undefined, headers);
    await expect
      .poll(() => records().filter((record) => record["request_id"] === "audited-1").length)
      .toBe(6);
    const own = records().filter((record) => record["request_id"] === "audited-1");
    expect(own.map(({ event, operation }) => `${event} ${operation}`)).toEqual([
      "write createUser",
      "write updateUserFriendlyName",
      "write createCredentials",
      "secret_read createCredentials",
      "secret_read getCredentials",
      "write deleteUser",
    ]);
    expect(own[1]).toMatchObject({
      actor: "data-server",
      user: "audited",
      before: { email: "a@x.io" },
      after: { friendly_name: "A" },
      source_ip: "127.0.0.1",
    });
    expect(readFileSync(api.audit, "utf8")).not.toContain(made.body.secret_access_key);
  });
});

describe("a secret in a query", () => {
  it("never reaches the log, whatever its level and whatever the answer", async () => {
    const folder = temporaryFolder();
    const log = join(folder, "log.jsonl");
    const logged = await startApi({
      "logging.level": "TRACE",
      "logging.format": "json",
      "logging.output": [log],
    });
    await logged.call("POST", "/auth/users", { username: "alice" });
    for (const path of [
      "/auth/users/alice/credentials",
      "/auth/users/nobody/credentials",
      "/auth/users/alice/credentials/",
    ]) {
      for (const more of ["", "&access_key=AKIA1", "&access_key=%zz"]) {
        await logged.call("POST", `${path}?secret_key=this-is-the-secret${more}`);
      }
    }
    await logged.close();
    const text = readFileSync(log, "utf8");
    expect(text).toContain("/api/v1/auth/users/{userId}/credentials");
    expect(text).not.toContain("this-is-the-secret");
  });
});
