/** A set-up of a database in which nodes miss their log (spec/journal §3.8). */

import { expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { isContested, putGuard, removeGuard } from "../../src/journal/guard.ts";

it("a log is contested while a node says that another one is missing", async () => {
  const engine = new MemoryEngine();
  expect(await isContested(engine, "own")).toBe(false);
  await putGuard(engine, "own");
  expect(await isContested(engine, "own")).toBe(false);
  await putGuard(engine, "other");
  expect(await isContested(engine, "own")).toBe(true);
  await removeGuard(engine, "other");
  expect(await isContested(engine, "own")).toBe(false);
});
