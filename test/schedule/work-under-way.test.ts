import { expect, it } from "vitest";
import { WorkUnderWay } from "../../src/schedule/work-under-way.ts";

const HOUR_MS = 3_600_000;

it("is waited for until the last piece has ended, be it with an error", async () => {
  const work = new WorkUnderWay();
  await work.done(HOUR_MS);
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun = [one, other].map(({ promise }) => promise);
  for (const piece of begun) work.add(piece);
  let isDone = false;
  const done = work.done(HOUR_MS).then(() => {
    isDone = true;
  });
  one.resolve();
  await begun[0];
  expect(isDone).toBe(false);
  other.reject(new Error("failed"));
  await done;
  await expect(begun[1]).rejects.toThrow("failed");
});

it("is waited for no longer than the time that is given", async () => {
  const work = new WorkUnderWay();
  work.add(new Promise(() => {}));
  await work.done(1);
});
