import { describe, expect, it } from "vitest";
import { TokenBucket } from "../../src/mail/token-bucket.ts";

function bucketOf(burst: number, everyMs: number) {
  const clock = { now: 1_000_000 };
  return { clock, bucket: new TokenBucket({ burst, everyMs }, () => clock.now) };
}

describe("the rate of mails", () => {
  it("lets a burst through and then one mail in each duration", () => {
    const { bucket, clock } = bucketOf(3, 60_000);
    for (let mail = 0; mail < 3; mail++) {
      expect(bucket.waitMs()).toBe(0);
      bucket.take();
    }
    expect(bucket.waitMs()).toBe(60_000);
    clock.now += 59_999;
    expect(bucket.waitMs()).toBeGreaterThan(0);
    clock.now += 1;
    expect(bucket.waitMs()).toBe(0);
    bucket.take();
    expect(bucket.waitMs()).toBe(60_000);
  });

  it("saves up no more than a burst", () => {
    const { bucket, clock } = bucketOf(2, 1_000);
    clock.now += 3_600_000;
    bucket.take();
    bucket.take();
    expect(bucket.waitMs()).toBe(1_000);
  });

  it("counts only mails that were taken, and loses nothing when the clock is set back", () => {
    const { bucket, clock } = bucketOf(1, 1_000);
    bucket.take();
    bucket.giveBack();
    bucket.giveBack();
    expect(bucket.waitMs()).toBe(0);
    bucket.take();
    clock.now -= 500_000;
    expect(bucket.waitMs()).toBe(1_000);
  });

  it("has no limit at duration 0, and lets nothing through at burst 0", () => {
    const unlimited = bucketOf(1, 0).bucket;
    for (let mail = 0; mail < 100; mail++) unlimited.take();
    expect(unlimited.waitMs()).toBe(0);
    expect(bucketOf(0, 0).bucket.waitMs()).toBe(Number.POSITIVE_INFINITY);
    expect(bucketOf(0, 1_000).bucket.waitMs()).toBe(Number.POSITIVE_INFINITY);
  });
});
