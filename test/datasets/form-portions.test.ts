/** Entries that are checked in portions have the problems that they have as a whole. */

import { readFileSync } from "node:fs";
import { openSchemas } from "@svc-authorizer/policy/catalog/schemas.ts";
import { DATASET_FORMAT } from "@svc-authorizer/policy/model/dataset.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsInPortions, REQUIRED_MEMBERS } from "../../src/datasets/form-portions.ts";
import { sized } from "../proofs/size.ts";

const FILES = ["dataset", "policy", "resource-type"];
const documents = FILES.map((file) =>
  JSON.parse(readFileSync(new URL(`../../policies/schema/${file}.schema.json`, import.meta.url), "utf8")),
);
const schema = openSchemas(documents)("dataset");

interface Found {
  readonly problems: readonly string[];
  /** Parts after which other work may run. */
  readonly portions: number;
}

function inPortions(section: string, entries: readonly unknown[]): Found {
  const all = [...problemsInPortions(section, entries, schema)];
  const problems = all
    .filter((one) => one !== undefined)
    .map(({ pointer, message }) => `${pointer} ${message}`);
  return { problems: problems.sort(), portions: all.length - problems.length };
}

const asAWhole = (section: string, entries: readonly unknown[]): string[] =>
  schema
    .problems({ format: DATASET_FORMAT, [section]: entries })
    .map(({ pointer, message }) => `${pointer} ${message}`)
    .sort();

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const statement = { effect: "allow", action: ["fs:Read*"], resource: "*" };
const policy = (more: object) => ({ name: "p", statement: [statement], ...more });

/** Entries with one long list each, some of whose values are wrong. */
const LONG: readonly (readonly [title: string, section: string, entry: unknown])[] = [
  [
    "actions",
    "policies",
    policy({ statement: [statement, { ...statement, action: list(5_000, (n) => (n % 50 ? "x" : n)) }] }),
  ],
  [
    "statements",
    "policies",
    policy({ statement: list(3_000, (n) => (n % 70 ? statement : { effect: "no", x: n })) }),
  ],
  [
    "values of conditions",
    "policies",
    policy({
      statement: [
        { ...statement, condition: { A: { f: list(3_000, (n) => (n % 9 ? "v" : n)), g: "no list" }, B: [] } },
      ],
    }),
  ],
  [
    "many long lists",
    "policies",
    policy({ statement: list(40, (n) => ({ ...statement, action: list(300, (m) => (m === n ? 0 : "a")) })) }),
  ],
  [
    "operators",
    "policies",
    policy({
      statement: [
        { ...statement, condition: Object.fromEntries(list(4_000, (n) => [`o${n}`, n % 8 ? {} : n])) },
      ],
    }),
  ],
  ["members that are missing", "policies", { statement: list(2_500, () => ({ effect: "allow" })), x: 1 }],
  [
    "more findings than may be accepted",
    "policies",
    policy({ accept: list(1_500, () => ({ rule: "r", reason: "" })) }),
  ],
  ["groups", "users", { username: "u", groups: list(4_000, (n) => (n === 400 ? "" : `g${n}`)), nothing: 1 }],
  ["credentials", "users", { username: "u", credentials: list(2_000, (n) => ({ access_key_id: "", n })) }],
  [
    "properties",
    "users",
    { username: "u", properties: { a: [{ b: list(4_000, (n) => [n]) }] }, inactive: "no" },
  ],
  ["a name", "users", { groups: list(3_000, String) }],
  ["a list in place of an entry", "users", list(3_000, (n) => n)],
];

describe("an entry with more values than a portion", () => {
  it.each(LONG)("has the problems of its %s", (_, section, entry) => {
    const entries = [{ x: 1 }, entry, { y: 1 }];
    const { problems, portions } = inPortions(section, entries);
    expect(problems).toEqual(asAWhole(section, entries));
    expect(problems.length).toBeGreaterThan(1);
    expect(portions).toBeGreaterThan(2);
  });

  it("has the problems that it has as a whole, whatever its values are", () => {
    const name = fc.constantFrom("name", "statement", "action", "effect", "resource", "condition", "x");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("", "allow", "fs:Read*", 1, null, true),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const some = fc.array(value, { minLength: 1, maxLength: 3 });
    const place = fc.constantFrom<(values: unknown[]) => unknown>(
      (statements) => policy({ statement: statements }),
      (statements) => ({ statement: statements, nothing: statements }),
      (action) => policy({ statement: [statement, { ...statement, action }, 1] }),
      (values) => policy({ statement: [{ effect: "allow", condition: { a: { b: values }, c: values } }] }),
    );
    fc.assert(
      fc.property(some, place, fc.integer({ min: 900, max: 2_500 }), (values, at, count) => {
        const entries = [at(list(count, (n) => values[n % values.length]))];
        expect(inPortions("policies", entries).problems).toEqual(asAWhole("policies", entries));
      }),
      { numRuns: sized(30, 1_000) },
    );
  });

  it("says of a text that is there twice where it is first", () => {
    const groups = [...list(3_000, (n) => `g${n}`), "g7"];
    const { problems } = inPortions("users", [{ username: "u", groups }]);
    expect(problems).toEqual(["/users/0/groups/3000 is the same as element 7"]);
  });

  it("is not looked at where one of its objects has more than 10,000 members", () => {
    const many = (count: number) => Object.fromEntries(list(count, (n) => [`field-${n}`, 1]));
    const users = [10_000, 10_001].map((count) => ({ username: "u", properties: many(count) }));
    expect(inPortions("users", users).problems).toEqual(["/users/1/properties has more than 10000 members"]);
  });
});

it("what the schemas require is known", () => {
  const required = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("required" in value && Array.isArray(value.required))
      for (const name of value.required) required.add(name);
    for (const inner of Object.values(value)) collect(inner);
  };
  for (const { $id: _, required: _required, ...schemaOfFile } of documents) collect(schemaOfFile);
  expect([...REQUIRED_MEMBERS].sort()).toEqual([...required].sort());
});
