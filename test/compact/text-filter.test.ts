import { expect, it } from "vitest";
import { TextFilter } from "../../src/compact/text-filter.ts";

it("finds every text that was added, and few others", () => {
  const filter = new TextFilter();
  const texts = Array.from({ length: 50_000 }, (_, index) => `user-${index}`);
  for (const text of texts) filter.add(text);
  expect(texts.every((text) => filter.mayHave(text))).toBe(true);
  const others = texts.filter((text) => filter.mayHave(`${text}-b`));
  expect(others.length).toBeLessThan(texts.length / 100);
});
