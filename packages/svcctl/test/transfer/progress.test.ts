import { progressLine } from "@svc-authorizer/svcctl/transfer/progress.ts";
import { describe, expect, it } from "vitest";

describe("the line of a progress bar", () => {
  it.each([
    [0, 0, 0, "Up [--------------------] 0% 0 B of 0 B, 0 B/s"],
    [500_000, 2_000_000, 1, "Up [#####---------------] 25% 500.0 kB of 2.0 MB, 500.0 kB/s, 3 s left"],
    [2_000_000, 2_000_000, 2, "Up [####################] 100% 2.0 MB of 2.0 MB, 1.0 MB/s"],
  ])("%d of %d in %d s", (done, total, seconds, text) => {
    expect(progressLine("Up", done, total, seconds)).toBe(text);
  });
});
