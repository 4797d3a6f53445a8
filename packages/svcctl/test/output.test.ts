import { safeMessage, safeText } from "@svc-authorizer/commands/safe-text.ts";
import { parseDocument } from "@svc-authorizer/svcctl/auth/policies/statement-document.ts";
import { formatDate } from "@svc-authorizer/svcctl/output/dates.ts";
import { jsonText } from "@svc-authorizer/svcctl/output/json-text.ts";
import { gridText, plainRows } from "@svc-authorizer/svcctl/output/table.ts";
import { afterAll, describe, expect, it } from "vitest";
import { svcctl } from "./run-svcctl.ts";

const zone = process.env["TZ"];
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe("a date", () => {
  // Printed by Go's time package for 1682935200 and 1672935200.
  it.each([
    ["UTC", "2023-05-01 10:00:00 +0000 UTC", "2023-01-05 16:13:20 +0000 UTC"],
    ["Europe/Berlin", "2023-05-01 12:00:00 +0200 CEST", "2023-01-05 17:13:20 +0100 CET"],
    ["Europe/London", "2023-05-01 11:00:00 +0100 BST", "2023-01-05 16:13:20 +0000 GMT"],
    ["America/New_York", "2023-05-01 06:00:00 -0400 EDT", "2023-01-05 11:13:20 -0500 EST"],
    ["Asia/Kolkata", "2023-05-01 15:30:00 +0530 IST", "2023-01-05 21:43:20 +0530 IST"],
    ["Asia/Tokyo", "2023-05-01 19:00:00 +0900 JST", "2023-01-06 01:13:20 +0900 JST"],
    ["America/Sao_Paulo", "2023-05-01 07:00:00 -0300 -03", "2023-01-05 13:13:20 -0300 -03"],
    ["Australia/Sydney", "2023-05-01 20:00:00 +1000 AEST", "2023-01-06 03:13:20 +1100 AEDT"],
  ])("in %s reads as lakectl prints it", (name, summer, winter) => {
    process.env["TZ"] = name;
    expect([formatDate(1682935200), formatDate(1672935200)]).toEqual([summer, winter]);
  });

  it.each([undefined, null, "1682935200", Number.NaN, 1e300])("that is %s is empty", (value) => {
    expect(formatDate(value)).toBe("");
  });
});

describe("a table", () => {
  // Both grids were printed by the table library of lakectl.
  it("without rows has a header all the same", () => {
    expect(gridText(["User ID"], [])).toBe("+---------+\n| USER ID |\n+---------+\n+---------+\n");
    expect(plainRows([])).toBe("");
  });

  it("counts columns of a terminal, not characters, and puts numbers at the right", () => {
    const rows = [
      ["日本", 5],
      ["héllo", 10],
    ];
    expect(gridText(["User ID", "Number"], rows)).toBe(
      [
        "+---------+--------+",
        "| USER ID | NUMBER |",
        "+---------+--------+",
        "| 日本    |      5 |",
        "| héllo   |     10 |",
        "+---------+--------+",
        "",
      ].join("\n"),
    );
  });
});

describe("text of others", () => {
  it("has no control characters left", () => {
    expect(safeText("a\u001b[0m\n\u009b\u2028\u202eb")).toBe("a\\u001b[0m\\u000a\\u009b\\u2028\\u202eb");
    expect(safeMessage("two\nlines\tand\u0007")).toBe("two\nlines\tand\\u0007");
    expect(safeText("ünïcode 日本 👍")).toBe("ünïcode 日本 👍");
  });

  it("stays what it is in JSON", () => {
    const value = { text: "a\u009b\u202e\u2028\u001b" };
    expect(jsonText(value)).toMatch(/^[\x20-\x7e\n]*$/);
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });
});

describe("a statement document", () => {
  const ALLOW = { action: ["fs:*"], effect: "allow", resource: "*" };

  it("is the first JSON value, its members in any letter case", () => {
    const text = JSON.stringify({ id: "x", statement: [{ ...ALLOW, Sid: "1" }] });
    const statement = { ...ALLOW, sid: "1" };
    expect(parseDocument(`  ${text}\n{"statement": "not looked at"} and more`)).toEqual([statement]);
  });

  it("with a member that a statement does not have is refused, or read without it by choice", () => {
    const text = JSON.stringify({ statement: [{ ...ALLOW, note: "a", notAction: ["fs:*"] }] });
    expect(() => parseDocument(text)).toThrow(
      /: statement\[0\]\.note: is no member of a statement; .*; statement\[0\]\.notAction: is no member/,
    );
    const left: string[] = [];
    expect(() => parseDocument(text, (at) => left.push(at))).toThrow(
      /: statement\[0\]\.notAction: is no member/,
    );
    expect(left).toEqual(["statement[0].note"]);
    const harmless = JSON.stringify({ statement: [{ ...ALLOW, note: "a" }] });
    expect(parseDocument(harmless, () => {})).toEqual([ALLOW]);
  });

  it("may have conditions, and the list of resources that show prints", () => {
    const condition = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    const text = JSON.stringify({ statement: [{ ...ALLOW, resource: ["a", "b"], condition }] });
    expect(parseDocument(text)).toEqual([{ ...ALLOW, resource: '["a","b"]', condition }]);
  });

  it("is judged by the server, not here", () => {
    expect(parseDocument("{}")).toEqual([]);
    expect(parseDocument('{"statement":[{}]}')).toEqual([{ action: [], effect: "", resource: "" }]);
  });

  it.each([
    ["", "EOF"],
    [" \n", "EOF"],
    ["[]", "document: expected an object"],
    ['{"statement":{}}', "statement: expected a list"],
    ['{"statement":[1]}', "statement[0]: expected an object"],
    ['{"statement":[{"Sid":1}]}', "statement[0].sid: expected a string"],
    ['{"statement":[{"resource":5}]}', "statement[0].resource: expected a string"],
    ['{"statement":[{"action":"fs:*"}]}', "statement[0].action: expected a list"],
    ['{"statement":[{"condition":[]}]}', "statement[0].condition: expected an object"],
    ['{"statement":', ""],
    ["// comment\n{}", ""],
  ])("%j is refused", (text, why) => {
    expect(() => parseDocument(text)).toThrow(`could not parse statement JSON document: ${why}`);
  });

  it("may begin with a mark of the byte order", () => {
    expect(parseDocument('\uFEFF{"statement":[]}')).toEqual([]);
  });

  it("is refused with all its problems at once", () => {
    const text = '{"statement":[{"action":"fs:*","resource":5},{"effect":[],"condition":""}]}';
    expect(() => parseDocument(text)).toThrow(
      "could not parse statement JSON document: statement[0].action: expected a list; statement[0].resource: expected a string; " +
        "statement[1].effect: expected a string; statement[1].condition: expected an object",
    );
  });

  it("that cannot be read ends the command before any call", async () => {
    const { code, stderr } = await svcctl(
      ["auth", "policies", "create", "--id", "P", "--statement-document", "none.json"],
      { cwd: "/nowhere" },
    );
    expect(code).toBe(1);
    expect(stderr).toBe(
      "could not open policy document: open none.json: no such file or directory\nError executing command.\n",
    );
  });
});
