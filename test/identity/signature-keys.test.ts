import { describe, expect, it } from "vitest";
import { header, MINUTE, NO_KEY, NO_MATCH, RIGHT, shareVerification } from "./signature-kit.ts";
import { addKey, CACHE, HERE, outcomeOf } from "./test-identities.ts";

const shared = shareVerification();
const { verify } = shared;

describe("the key of a signature", () => {
  it("is verified at once when cached, also on the next day, and not after it is deleted", async () => {
    await addKey(shared.opened.directory, "alice", "AK-SHORT");
    const own = { accessKeyId: "AK-SHORT", secret: "secret of AK-SHORT" };
    const next = {
      ...own,
      timestamp: "20260305T000000Z",
      scope: ["20260305", "us-east-1", "s3", "aws4_request"],
    };
    const lasting = shared.opened.open({ cache: { ...CACHE, ttl: 9e9 } });
    expect(lasting.withSignature(header(own), HERE)).toBeInstanceOf(Promise);
    await lasting.withSignature(header(own), HERE);
    expect(lasting.withSignature(header(own), HERE)).toMatchObject({ username: "alice", how: "signature" });
    shared.opened.clock.now += 12 * 60 * MINUTE;
    expect(lasting.withSignature(header(next), HERE)).toMatchObject({ username: "alice" });
    await shared.opened.directory.credentials.delete("alice", "AK-SHORT");
    expect(await outcomeOf(() => lasting.withSignature(header(next), HERE))).toBe(NO_KEY);
    lasting.close();
  });

  it("is the new one at once when it has changed, with nothing left of the old", async () => {
    await addKey(shared.opened.directory, "alice", "AK-TURNED");
    const own = { accessKeyId: "AK-TURNED", secret: "secret of AK-TURNED" };
    expect(await verify(header(own))).toBe(RIGHT);
    const put = {
      op: "put_credential",
      username: "alice",
      access_key_id: "AK-TURNED",
      secret_access_key: "new",
    } as const;
    await shared.opened.directory.batches.apply([put], { managed: false });
    expect(await verify(header(own))).toBe(NO_MATCH);
    expect(await verify(header({ ...own, secret: "new" }))).toBe(RIGHT);
  });

  it("is counted when it fails, with those of the same key and source, and never locked out", async () => {
    const own = shared.opened.open({ maxFailures: { count: 2, intervalMs: MINUTE } });
    const wrong = header({ secret: "wrong" });
    for (let round = 0; round < 3; round++) await outcomeOf(() => own.withSignature(wrong, HERE));
    expect(own.counters).toMatchObject({ failures: 3, throttled: 1 });
    expect(await outcomeOf(() => own.withAccessKey("AK-ALICE", "x", HERE))).toBe(
      "unauthenticated TooManyFailures",
    );
    expect(await outcomeOf(() => own.withSignature(header(), HERE))).toBe(RIGHT);
    // What no secret makes right is no guess at one.
    await outcomeOf(() => own.withSignature(header({ algorithm: "x" }), HERE));
    expect(own.counters.failures).toBe(4);
    own.close();
  });
});
