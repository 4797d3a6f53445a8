import { expect, it } from "vitest";
import type { Schemas } from "../../src/http/openapi/openapi-types.ts";
import { SchemaCheck } from "../../src/http/schema/schema-check.ts";
import { closedObject, listOf, schemaRef } from "../../src/http/schema/schema-forms.ts";

const SCHEMAS: Schemas = {
  Item: closedObject({ name: { type: "string", "x-maxBytes": "nameBytes" } }),
  Body: {
    ...closedObject(
      {
        items: { ...listOf(schemaRef("Item")), "x-maxItems": 100_000 },
        either: { oneOf: [{ type: "string" }, closedObject({ n: { type: "integer", minimum: 1 } })] },
        texts: listOf({ type: "string" }),
        map: { type: "object", additionalProperties: { type: "string" } },
        read: schemaRef("Read"),
        mode: { enum: ["one", "other"] },
      },
      [],
    ),
    oneOf: [{ required: ["items"] }, { required: ["texts"] }],
    "x-says": {
      none: { at: "/items", message: "required without texts" },
      several: { at: "/texts", message: "not together with items" },
    },
  },
};
const check = new SchemaCheck(SCHEMAS, {
  limits: { nameBytes: 4 },
  readers: new Map([["Read", (_value, pointer) => [{ pointer: `${pointer}/x`, message: "read by hand" }]]]),
});
const found = (body: unknown) =>
  check.problems("Body", body).map(({ pointer, message }) => `${pointer}: ${message}`);

it("tells no pointer that is as long as the body, and few problems below a long name", () => {
  const map = { ["x".repeat(100_000)]: 1, y: 2 };
  const problems = check.problems("Body", { items: [], map });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.pointer.length).toBeLessThan(1_100);
});

it.each<[string, unknown, readonly string[]]>([
  ["nothing wrong", { items: [{ name: "a" }] }, []],
  ["another type", [], [": expected an object"]],
  ["neither alternative", {}, ["/items: required without texts"]],
  ["both alternatives", { items: [], texts: [] }, ["/texts: not together with items"]],
  [
    "everything",
    { items: [{}, { name: 1, more: 1 }, 1], mode: "third", map: { "a/b": 1 }, read: 0, more: 1 },
    [
      "/items/0/name: required",
      "/items/1/more: unknown field",
      "/items/1/name: expected a string",
      "/items/2: expected an object",
      "/map/a~1b: expected a string",
      "/mode: expected one of one, other",
      "/more: unknown field",
      "/read/x: read by hand",
    ],
  ],
  ["a long text", { items: [{ name: "äää" }] }, ["/items/0/name: longer than 4 bytes"]],
  ["a lone surrogate", { items: [{ name: "\ud800" }] }, ["/items/0/name: not well-formed Unicode"]],
  [
    "the form that the type chooses",
    { texts: [], either: { n: 0 } },
    ["/either/n: expected a whole number from 1"],
  ],
  ["no form", { texts: [], either: 1 }, ["/either: expected a string or an object"]],
])("tells every problem by pointer: %s", (_title, body, wanted) => {
  expect(found(body)).toEqual(wanted);
});

it("ends after a hundred problems of a list, and pauses between its elements", () => {
  const steps = check.inSteps("Body", { items: Array.from({ length: 50_000 }, () => ({})) });
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses++;
  expect(step.value.length).toBe(100);
  expect(pauses).toBe(2);
  const sound = check.inSteps("Body", { items: Array.from({ length: 6400 }, () => ({ name: "a" })) });
  expect([...sound].length).toBe(100);
});

it("tells the first problem only of what has thousands of members: to find all would take long", () => {
  expect(found({ texts: Array(5000).fill(1) })).toEqual(["/texts/0: expected a string"]);
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
  expect(found({ texts: [], map: many })).toEqual(["/map: more than 10000 members"]);
  expect(found({ texts: [], ...many })).toEqual([": more than 106 members"]);
});

it("looks at members and types alone where it is told to", () => {
  const shape = new SchemaCheck(SCHEMAS, { shapeOnly: true });
  expect(shape.problems("Item", { name: "far too long" })).toEqual([]);
  expect(shape.problems("Body", { mode: "third" })).toEqual([]);
  expect(shape.problems("Body", { mode: 1, more: 1 })).toMatchObject([
    { pointer: "/mode", message: "expected a string" },
    { pointer: "/more", message: "unknown field" },
  ]);
});
