import fc from "fast-check";
import { expect, it } from "vitest";
import { MultiMap } from "../../src/compact/multi-map.ts";

const text = fc.constantFrom("", "a", "b", "__proto__");
const step = fc.record({
  kind: fc.constantFrom("add", "add", "remove", "delete", "clear"),
  key: text,
  value: text,
});

it("has the values that a map of sets has", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const map = new MultiMap();
      const model = new Map<string, Set<string>>();
      for (const { kind, key, value } of steps) {
        if (kind === "add") {
          map.add(key, value);
          model.set(key, new Set([...(model.get(key) ?? []), value]));
        } else if (kind === "remove") {
          map.remove(key, value);
          model.get(key)?.delete(value);
          if (model.get(key)?.size === 0) model.delete(key);
        } else if (kind === "delete") {
          map.delete(key);
          model.delete(key);
        } else {
          map.clear();
          model.clear();
        }
        expect(map.size).toBe(model.size);
        for (const one of ["", "a", "b", "__proto__"])
          expect(map.of(one)).toEqual([...(model.get(one) ?? [])]);
      }
    }),
  );
});

it("may change while values are gone through", () => {
  const map = new MultiMap();
  for (const value of ["a", "b", "c"]) map.add("key", value);
  for (const value of map.of("key")) map.remove("key", value);
  expect(map.of("key")).toEqual([]);
});
