import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HERE, openTestIdentities, outcomeOf, type TestIdentities } from "./test-identities.ts";

interface Vector {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

const FILE = join(import.meta.dirname, "../../fixtures/signatures/aws-documented.json");
const { cases, accessKeyId, secretAccessKey, region, now } = JSON.parse(readFileSync(FILE, "utf8")) as {
  readonly cases: readonly Vector[];
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly now: string;
};

describe("signatures in Amazon's documentation", () => {
  let opened: TestIdentities;
  beforeAll(async () => {
    opened = await openTestIdentities({ region });
    await opened.directory.credentials.create("alice", {
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
    });
    opened.clock.now = Date.parse(now);
  });
  afterAll(() => opened.close());

  it.each(cases)("$name: right", async ({ headers, ...request }) => {
    const signed = { ...request, headers: new Map(Object.entries(headers)) };
    expect(await opened.identities.withSignature(signed, HERE)).toEqual({
      username: "alice",
      userId: (await opened.directory.sessions.get("alice")).userId,
      how: "signature",
      accessKeyId,
      signed: {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        signedHeaders: expect.stringContaining("host"),
      },
    });
  });

  it.each(cases)("$name: wrong in any digit", async ({ headers, query, ...request }) => {
    const before = headers["authorization"] ?? query;
    for (const index of [0, 31, 63]) {
      const at = before.length - 64 + index;
      const flipped = before.slice(0, at) + (before[at] === "0" ? "1" : "0") + before.slice(at + 1);
      const signed =
        headers["authorization"] === undefined
          ? { ...request, query: flipped, headers: new Map(Object.entries(headers)) }
          : { ...request, query, headers: new Map(Object.entries({ ...headers, authorization: flipped })) };
      expect(await outcomeOf(() => opened.identities.withSignature(signed, HERE))).toBe(
        "unauthenticated SignatureDoesNotMatch",
      );
    }
  });
});
