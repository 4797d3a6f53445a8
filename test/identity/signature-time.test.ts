import { describe, expect, it } from "vitest";
import {
  BAD_QUERY,
  DENIED,
  header,
  MINUTE,
  presigned,
  RIGHT,
  SKEWED,
  shareVerification,
  TIME,
} from "./signature-kit.ts";

const shared = shareVerification();
const { verify } = shared;

describe("the time of a signature", () => {
  it.each<[string, number, string]>([
    ["15 minutes late", 15 * MINUTE, RIGHT],
    ["more than 15 minutes late", 15 * MINUTE + 1, SKEWED],
    ["15 minutes early", -15 * MINUTE, RIGHT],
    ["more than 15 minutes early", -15 * MINUTE - 1, SKEWED],
    ["a day late", 24 * 60 * MINUTE, SKEWED],
  ])("in a header: %s", async (_name, passed, outcome) => {
    shared.opened.clock.now = TIME + passed;
    expect(await verify(header())).toBe(outcome);
  });

  it.each<[string, string, number, string]>([
    ["the last moment", "3600", 3_600_000, RIGHT],
    ["expired", "3600", 3_600_001, DENIED],
    ["the shortest life", "1", 1_000, RIGHT],
    ["the longest life", "604800", 604_800_000, RIGHT],
    ["the longest life is over", "604800", 604_800_001, DENIED],
    ["15 minutes early", "3600", -15 * MINUTE, RIGHT],
    ["more than 15 minutes early", "3600", -15 * MINUTE - 1, DENIED],
    ["no life", "0", 0, BAD_QUERY],
    ["a life below nothing", "-1", 0, BAD_QUERY],
    ["too long a life", "604801", 0, BAD_QUERY],
    ["an endless life", "9".repeat(400), 0, BAD_QUERY],
    ["a life in another notation", "1e3", 0, BAD_QUERY],
    ["a life with a sign", "+60", 0, BAD_QUERY],
    ["no word about its life", "", 0, BAD_QUERY],
  ])("presigned: %s", async (_name, expires, passed, outcome) => {
    shared.opened.clock.now = TIME + passed;
    expect(await verify(presigned({ expires }))).toBe(outcome);
  });

  it.each([
    "",
    "20260304T120000",
    "2026-03-04T12:00:00Z",
    "20260304T250000Z",
    "20260231T120000Z",
    "20261304T120000Z",
    "20260304T240000Z",
    "Wed, 04 Mar 2026 12:00:00 GMT",
    "20260304T120000Z,20260304T120000Z",
  ])("is refused when it is none: %j", async (timestamp) => {
    const scope = ["20260304", "us-east-1", "s3", "aws4_request"];
    expect(await verify(header({ timestamp, scope, headers: { host: "h", "x-amz-date": timestamp } }))).toBe(
      DENIED,
    );
    expect(await verify(presigned({ timestamp, scope }))).toBe(BAD_QUERY);
  });
});
