import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRevocationFile, type RevokedRecord } from "../../src/store/local/revocation-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const COUNT = 50_000;
const until = Date.now() + 3_600_000;
const placeAt = (revision: number) => ({ revision, id: `id-${revision}`, log: "log" });

it("many revocations are noted in turns with other work, and their position comes last", async () => {
  const path = join(temporaryFolder(), "store.revocations");
  const file = openRevocationFile({ path });
  await file.note(placeAt(1), [{ partition: "user", key: "first", state: null, revision: 1, until }]);
  const records: RevokedRecord[] = Array.from({ length: COUNT }, (_, index) => ({
    partition: "user",
    key: `u${index}`,
    state: null,
    revision: 2,
    until,
  }));
  let looks = 0;
  let isNoted = false;
  const seen: string[] = [];
  const look = (): void => {
    if (isNoted) return;
    looks += 1;
    seen.push(readFileSync(path, "utf8").trimEnd());
    setImmediate(look);
  };
  setImmediate(look);
  await file.note(placeAt(2), records);
  isNoted = true;
  file.close();
  expect(looks).toBeGreaterThan(1);
  // A process that ends meanwhile leaves some of them, and the position before.
  for (const text of seen) expect(text.includes("id-2")).toBe(false);
  const again = openRevocationFile({ path });
  expect(again.place).toEqual(placeAt(2));
  expect(again.records()).toHaveLength(COUNT + 1);
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toContain("id-2");
});
