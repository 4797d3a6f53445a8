import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openedEach } from "../../opened.ts";
import { startApi } from "./api-kit.ts";

interface Step {
  readonly method: string;
  readonly url: string;
  readonly request_body?: Record<string, unknown>;
}

/** The base groups, policies and attachments of a data server's own set-up, as it was recorded. */
const SETUP: readonly Step[] = readFileSync(
  new URL("../../../fixtures/conversations/internal.jsonl", import.meta.url),
  "utf8",
)
  .split("\n")
  .slice(2, 32)
  .map((line) => JSON.parse(line) as Step);

const api = openedEach(() => startApi({ "authorizer.partition": "lakefs" }));

const run = async ({ method, url, request_body }: Step): Promise<number> =>
  (await api.call(method, url.slice("/api/v1".length), request_body)).status;

async function setUp(steps: readonly Step[] = SETUP): Promise<number[]> {
  const statuses: number[] = [];
  for (const step of steps) statuses.push(await run(step));
  return statuses;
}

describe("a data server's set-up", () => {
  it.each([0, 3, 10, 20, 30])("that ended after %i calls can be repeated", async (done) => {
    await setUp(SETUP.slice(0, done));
    expect(new Set(await setUp())).toEqual(new Set([201]));
    const { body } = await api.call("GET", "/auth/groups/Admins/policies");
    expect(body.pagination.results).toBe(4);
  });

  it("is refused again as soon as Admins has a member", async () => {
    await setUp();
    await api.call("POST", "/auth/users", { username: "admin" });
    await api.call("PUT", "/auth/groups/Admins/members/admin");
    expect(new Set(await setUp())).toEqual(new Set([409]));
  });

  it("does not take another content for its own", async () => {
    await setUp();
    const policy = SETUP.find(({ request_body }) => request_body?.["name"] === "FSReadAll") as Step;
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
    expect(await run({ ...policy, request_body: { ...policy.request_body, statement } })).toBe(409);
    expect(await run({ ...policy, request_body: { ...policy.request_body, acl: "Read" } })).toBe(409);
    const group = SETUP[0] as Step;
    expect(await run({ ...group, request_body: { id: "Admins", description: "others" } })).toBe(409);
  });

  it("makes nothing else repeatable", async () => {
    await setUp();
    const own = { name: "Own", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] };
    const calls = [
      ["POST", "/auth/groups", { id: "Own" }],
      ["POST", "/auth/policies", own],
      ["PUT", "/auth/groups/Admins/policies/Own", undefined],
      ["PUT", "/auth/groups/Own/policies/FSFullAccess", undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      expect((await api.call(method, path, body)).status).toBe(201);
      expect((await api.call(method, path, body)).status).toBe(409);
    }
  });
});
