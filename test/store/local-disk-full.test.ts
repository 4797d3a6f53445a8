import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { READERS_FILE } from "../../src/store/local/data-file.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Child, startChild } from "./children/child.ts";

let parent: string;
let child: Child | undefined;

beforeEach(() => {
  parent = temporaryFolder();
});
afterEach(() => child?.kill());

it("has the blocks of the file that is written through memory from the start: none is missing on a full disk", async () => {
  const folder = join(parent, "store");
  await (await openLocalStore({ path: folder, syncWrites: false })).close();
  const { blocks, size } = statSync(join(folder, READERS_FILE));
  expect(blocks * 512).toBeGreaterThanOrEqual(size);
  expect(size).toBeGreaterThan(65_536);
});

it("refuses commits that find no room, loses none that was acknowledged, and works again with room", async () => {
  // Blocks of 512 bytes: files end at 4 MiB. The signal that would end the process is ignored, as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f 8192; exec "$@"`;
  child = startChild("fill-disk.ts", [join(parent, "store")], limited);
  await child.printed(1);
  const { acknowledged, refused, stored, logged } = JSON.parse(child.lines()[0]!);
  expect(refused).toBeGreaterThan(0);
  expect(acknowledged.length).toBeGreaterThan(3);
  for (const keys of stored) expect(keys).toEqual([...acknowledged].sort());
  expect(logged).toContain("store write failed");
});
