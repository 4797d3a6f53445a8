import { describe, expect, it } from "vitest";
import {
  formatRecordText,
  type Migration,
  parseFormatRecord,
  planMigrations,
} from "../../src/store/format.ts";
import { unavailable } from "./unavailable.ts";

const step = (from: number): Migration<string[]> => ({
  from,
  what: `from ${from}`,
  run: (done) => done.push(`${from}`),
});
const formats = { current: 4, migrations: [step(3), step(1), step(2)] };
const found = (format: number) => ({ format, written_by: "svc-authorizer 9.9.9" });

describe("planMigrations", () => {
  it("needs no step for the current format", () => {
    expect(planMigrations("/data", found(4), formats)).toEqual([]);
  });

  it("takes every step from an older format, in order", () => {
    const done: string[] = [];
    for (const { run } of planMigrations("/data", found(2), formats)) run(done);
    expect(done).toEqual(["2", "3"]);
  });

  it("refuses a newer format and says which program to use", () => {
    const message =
      /\/data has format 5 and was written by svc-authorizer 9\.9\.9; .* up to 4\. Use the program/;
    expect(() => planMigrations("/data", found(5), formats)).toThrow(unavailable(message));
  });

  it("refuses an older format from which a step is missing", () => {
    const incomplete = { current: 4, migrations: [step(1), step(3)] };
    expect(() => planMigrations("/data", found(1), incomplete)).toThrow(unavailable(/format 1, from which/));
  });
});

describe("parseFormatRecord", () => {
  it("reads what was written", () => {
    expect(parseFormatRecord("/data", formatRecordText(found(3)))).toEqual(found(3));
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "1",
    '{"format":1}',
    '{"format":"1","written_by":"x"}',
    '{"format":0,"written_by":""}',
  ])("refuses %j", (text) => {
    expect(() => parseFormatRecord("/data", text)).toThrow(unavailable(/\/data is damaged/));
  });
});
