/** A service that does nothing for the mirrors that it has stored says so. */
import { expect, it } from "vitest";
import { startMirroring } from "../../src/compose/mirroring.ts";
import { MirrorRecords } from "../../src/mirroring/mirror-records.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { STORED_MIRROR } from "../mirroring/stored-mirror.ts";

async function toldOf(
  fill: (store: ReturnType<typeof openMemoryStore>) => Promise<unknown>,
): Promise<string[]> {
  const store = openMemoryStore();
  await fill(store);
  const told: string[] = [];
  const logger = { warn: (message: string) => void told.push(message) };
  await startMirroring(undefined, { store, logger } as unknown as Parameters<typeof startMirroring>[1]);
  return told;
}

it("tells of mirrors without a region, of records that cannot be read, and of nothing where there is none", async () => {
  expect(await toldOf(async () => {})).toEqual([]);
  expect(await toldOf((store) => new MirrorRecords(store).add(STORED_MIRROR, () => {}))).toEqual([
    "authorizer.mirroring.regions names no region, and mirrors are stored: nothing is done for them, and they stay read-only",
  ]);
  const put = [{ partition: "mirror", key: "sales-west", value: "{}" }];
  expect(await toldOf((store) => store.commit({ put }))).toEqual(["the mirrors cannot be read"]);
});
