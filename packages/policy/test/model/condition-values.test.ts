import { parseDate, parseNumber } from "@svc-authorizer/policy/model/condition-values.ts";
import { parseBoolean } from "@svc-authorizer/policy/model/truth-values.ts";
import { describe, expect, it } from "vitest";

describe("a number", () => {
  it.each([
    ["0", 0],
    ["007", 7],
    ["-2.50", -2.5],
    ["1e21", undefined],
    ["1e-7", 1e-7],
    ["1E+2", 100],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", undefined],
    ["-9007199254740993", undefined],
    ["1e400", undefined],
    ["", undefined],
    [" 1", undefined],
    ["1 ", undefined],
    ["+1", undefined],
    ["1.", undefined],
    [".5", undefined],
    ["0x10", undefined],
    ["1_000", undefined],
    ["1,5", undefined],
    ["Infinity", undefined],
    ["NaN", undefined],
    ["١", undefined],
    ["1\n", undefined],
  ])("%j is %s", (text, expected) => {
    expect(parseNumber(text)).toBe(expected);
  });

  it("is read in linear time", () => {
    expect(parseNumber(`${"1".repeat(1_000_000)}x`)).toBe(undefined);
    expect(parseNumber(`${"1.".repeat(500_000)}`)).toBe(undefined);
  });
});

describe("a date", () => {
  it.each([
    ["2026", "2026-01-01T00:00:00.000Z"],
    ["2026-06", "2026-06-01T00:00:00.000Z"],
    ["2026-06-30", "2026-06-30T00:00:00.000Z"],
    ["2026-06-30T12:34Z", "2026-06-30T12:34:00.000Z"],
    ["2026-06-30T12:34:56Z", "2026-06-30T12:34:56.000Z"],
    ["2026-06-30T12:34:56.7899Z", "2026-06-30T12:34:56.789Z"],
    ["2026-06-30T12:34:56+02:30", "2026-06-30T10:04:56.000Z"],
    ["2026-06-30T12:34:56-02:30", "2026-06-30T15:04:56.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["0050-01-01", "0050-01-01T00:00:00.000Z"],
    ["0", "1970-01-01T00:00:00.000Z"],
    ["-1", "1969-12-31T23:59:59.000Z"],
    ["1782820800", "2026-06-30T12:00:00.000Z"],
    ["1782820800.25", "2026-06-30T12:00:00.250Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(parseDate(text) as number).toISOString()).toBe(expected);
  });

  it.each([
    "",
    "now",
    "2026-13",
    "2026-00-01",
    "2026-02-30",
    "2023-02-29",
    "2026-6-1",
    "2026-06-30T12",
    "2026-06-30T12:00",
    "2026-06-30T12:00:00",
    "2026-06-30 12:00:00Z",
    "2026-06-30t12:00:00z",
    "2026-06-30T24:00:00Z",
    "2026-06-30T12:60:00Z",
    "2026-06-30T12:00:60Z",
    "2026-06-30T12:00:00+24:00",
    "2026-06-30T12:00:00+0200",
    "2026-06-30T12:00:00.Z",
    " 2026",
    "12026-01-01",
    "1e9",
    "9999999999999",
    "20260630000000",
  ])("%j is none", (text) => {
    expect(parseDate(text)).toBe(undefined);
  });
});

it("a boolean is true or false, in any letter case", () => {
  expect(["true", "false", "True", "FALSE", "1", "", "yes", "true "].map(parseBoolean)).toEqual([
    true,
    false,
    true,
    false,
    ...Array(4).fill(undefined),
  ]);
});
