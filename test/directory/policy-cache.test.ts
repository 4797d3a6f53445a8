import { describe, expect, it } from "vitest";
import { PolicyCache } from "../../src/directory/read/policy-cache.ts";

const text = (resource: string, more: object = {}): string =>
  JSON.stringify({
    id: "1",
    rev: "a",
    creation_date: 1,
    statement: [{ effect: "allow", action: ["fs:ReadObject"], resource }],
    ...more,
  });

describe("policies that were parsed", () => {
  it("are found again by what is stored, not by its version alone", () => {
    const cache = new PolicyCache();
    const first = cache.decode("p", { value: text("a"), version: "7" });
    expect(cache.decode("p", { value: text("a"), version: "7" })).toBe(first);
    expect(cache.decode("p", { value: text("a"), version: "8" })).toBe(first);
    // A store that was restored gives the same revision to another policy of the name.
    const other = cache.decode("p", { value: text("b", { id: "2", rev: "b" }), version: "7" });
    expect(other.statement[0]?.resource).toBe("b");
    expect(cache.decode("q", { value: text("b", { id: "2", rev: "b" }), version: "7" })).toEqual(other);
  });

  it("keep their statements where only their other members changed", () => {
    const cache = new PolicyCache();
    const first = cache.decode("p", { value: text("a"), version: "7" });
    const managed = cache.decode("p", { value: text("a", { managed: true }), version: "8" });
    expect(managed.managed).toBe(true);
    expect(managed.statement).toBe(first.statement);
  });

  it("share equal lists of actions", () => {
    const cache = new PolicyCache();
    const [a, b] = ["p", "q"].map((name) => cache.decode(name, { value: text(name), version: "7" }));
    expect(a?.statement[0]?.action).toBe(b?.statement[0]?.action);
  });

  it("leave memory when others were used since", () => {
    const cache = new PolicyCache();
    const first = cache.decode("p", { value: text("a"), version: "7" });
    const long = "x".repeat(4 * 1024 * 1024);
    for (let index = 0; index < 6; index++)
      cache.decode(`long-${index}`, { value: text(long), version: "7" });
    const again = cache.decode("p", { value: text("a"), version: "7" });
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });

  it("stay in memory while they are used", () => {
    const cache = new PolicyCache();
    const first = cache.decode("p", { value: text("a"), version: "7" });
    const long = "x".repeat(4 * 1024 * 1024);
    for (let index = 0; index < 6; index++) {
      cache.decode(`long-${index}`, { value: text(long), version: "7" });
      expect(cache.decode("p", { value: text("a"), version: "7" })).toBe(first);
    }
  });
});
