import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { FIELD_LIMITS } from "@svc-authorizer/policy/model/condition.ts";
import { addProperties } from "@svc-authorizer/policy/model/condition-fields.ts";
import { type FieldValue, UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { describe, expect, it } from "vitest";
import { requestedFields } from "../../src/decisions/check/evaluation-fields.ts";

function fieldsOf(properties: Properties, into = new Map<string, FieldValue>()): Map<string, FieldValue> {
  addProperties(into, "subject.", properties);
  return into;
}

describe("attributes of a request", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, index]));

  it("are read when one of them is asked for, and once for all who show the same", () => {
    let reads = 0;
    const ownKeys = (of: Properties) => {
      reads++;
      return Reflect.ownKeys(of);
    };
    const context = new Proxy<Properties>({ a: "x" }, { ownKeys });
    const first = requestedFields({ context, subject: { properties: { token: "t", token2: "u" } } });
    reads = 0;
    expect([first.get("subject.token"), first.get("subject.token2")]).toEqual([undefined, "u"]);
    expect(reads).toBe(0);
    for (let index = 0; index < 3; index++) {
      const fields = requestedFields({ context, action: { properties: { index } } });
      expect([fields.get("context.a"), fields.get("action.index"), fields.has("a")]).toEqual([
        "x",
        String(index),
        false,
      ]);
    }
    expect(reads).toBe(1);
  });

  it("are refused where they are more than can be", () => {
    const nested = { outer: many(FIELD_LIMITS.fields - 1) };
    expect(requestedFields({ context: nested }).get("context.outer.a1")).toBe("1");
    expect(() => requestedFields({ context: { ...nested, more: 1 } })).toThrow(AuthorizerError);
    expect(() => requestedFields({ action: { properties: many(FIELD_LIMITS.fields + 1) } })).toThrow();
  });
});

describe("attributes", () => {
  it("are fields by dotted path: scalars as JSON text, lists of scalars, null missing", () => {
    const properties = { a: "x", b: 1.5, c: false, d: null, e: ["y", 2, true], f: { g: "z" }, h: [] };
    expect([...fieldsOf(properties)]).toEqual([
      ["subject.a", "x"],
      ["subject.b", "1.5"],
      ["subject.c", "false"],
      ["subject.e", ["y", "2", "true"]],
      ["subject.f", UNREADABLE],
      ["subject.f.g", "z"],
      ["subject.h", []],
    ]);
  });

  it("that no operator can read are marked, never left out", () => {
    const deep = { a: { a: { a: { a: { a: "six levels" } } } } };
    const fields = fieldsOf({ deep, lists: [[]], objects: [{}], nulls: [null], empty: {} });
    for (const name of ["deep", "deep.a.a.a.a", "lists", "objects", "nulls", "empty"])
      expect([name, fields.get(`subject.${name}`)]).toEqual([name, UNREADABLE]);
    expect(fields.has("subject.deep.a.a.a.a.a")).toBe(false);
  });

  it("that are registered hide those of the request, whatever kind they are", () => {
    const fields = fieldsOf({ team: "forged", roles: ["admin"], level: { a: 1 }, kept: 1 });
    fieldsOf({ team: { name: "red" }, roles: [], level: 1, kept: null }, fields);
    expect(Object.fromEntries(fields)).toMatchObject({
      "subject.team": UNREADABLE,
      "subject.roles": [],
      "subject.level": "1",
      "subject.kept": "1",
    });
  });

  it("keep their limits to the unit", () => {
    const { name, values, text } = FIELD_LIMITS;
    const fits = (properties: Properties): boolean => fieldsOf(properties).get("subject.a") !== UNREADABLE;
    expect([fits({ a: "x".repeat(text) }), fits({ a: "x".repeat(text + 1) })]).toEqual([true, false]);
    expect([fits({ a: Array(values).fill(1) }), fits({ a: Array(values + 1).fill(1) })]).toEqual([
      true,
      false,
    ]);
    expect([fits({ a: ["x".repeat(text), ""] }), fits({ a: ["x".repeat(text), "y"] })]).toEqual([
      true,
      false,
    ]);
    const longest = "x".repeat(name - "subject.".length);
    expect(fieldsOf({ [longest]: 1, [`${longest}x`]: 1 }).size).toBe(1);
  });

  it("of ten megabytes are read in one pass, however deep, long or many", () => {
    const many = Object.fromEntries(Array.from({ length: 500_000 }, (_, index) => [`a${index}`, index]));
    expect(fieldsOf(many).size).toBe(500_000);
    // A long name before many members would be repeated in each of their paths.
    expect(fieldsOf({ ["x".repeat(5_000_000)]: many }).size).toBe(0);
    expect(fieldsOf({ a: Array(2_000_000).fill("x"), b: "x".repeat(10_000_000) }).get("subject.a")).toBe(
      UNREADABLE,
    );
    let nested: Properties = { end: 1 };
    for (let level = 0; level < 100_000; level++) nested = { a: nested };
    expect(fieldsOf(nested).size).toBe(FIELD_LIMITS.levels);
  });
});
