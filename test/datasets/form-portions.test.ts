import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { expect, it } from "vitest";
import { type FormProblem, problemsInPortions } from "../../src/datasets/form-portions.ts";

const schema = (await openCatalog({ partition: "svc" })).schema("dataset");
const names = (count: number): unknown[] => Array.from({ length: count }, (_, index) => `p-${index}`);

function problemsOf(section: string, entries: readonly unknown[]) {
  const all = [...problemsInPortions(section, entries, schema)];
  const found = all.filter((one): one is FormProblem => one !== undefined);
  return { pauses: all.length - found.length, found: found.map(({ pointer }) => pointer), all: found };
}

it("names what is wrong in a long list of an entry, and in its other members, once", () => {
  const policies = names(20_000);
  [policies[3], policies[1_700], policies[19_999]] = ["", 7, null];
  const entries = [{ name: "a" }, { name: "b", policies, strange: 1 }, { name: "" }];
  expect(problemsOf("groups", entries).found.sort()).toEqual([
    "/groups/1/policies/1700",
    "/groups/1/policies/19999",
    "/groups/1/policies/3",
    "/groups/1/strange",
    "/groups/2/name",
  ]);
});

it("names what is twice in a long list, wherever, as the schema does in a short one", () => {
  for (const [length, twice, of] of [
    [2_000, 1_999, 5],
    [5_000, 4_999, 5],
    [5_000, 700, 5],
    [5_000, 4_999, 4_998],
  ] as const) {
    const policies = names(length);
    policies[twice] = policies[of];
    expect(problemsOf("groups", [{ name: "a", policies }]).all).toEqual([
      { pointer: `/groups/0/policies/${twice}`, message: `is the same as element ${of}` },
    ]);
  }
});

it("pauses behind each portion, be it of entries or of the elements of one", () => {
  expect(problemsOf("groups", [{ name: "a", policies: names(100_000) }])).toMatchObject({ found: [] });
  expect(problemsOf("groups", [{ name: "a", policies: names(100_000) }]).pauses).toBeGreaterThan(100);
  const groups = Array.from({ length: 100 }, (_, n) => ({ name: `g-${n}`, policies: names(1_000) }));
  expect(problemsOf("groups", groups).pauses).toBeGreaterThan(30);
});
