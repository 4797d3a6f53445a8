/** The rule that makes mirrors read-only keeps up with the directory, whatever is read while it changes. */

import { expect, it } from "vitest";
import { MirrorRule, type ReadOnlyMirror } from "../../src/decisions/mirror-rule.ts";

const mirror = (filledBy: string): ReadOnlyMirror => ({
  repository: "sales-west",
  storageNamespace: "s3://sales-west",
  filledBy,
});

it("a reading that ends after a change does not hide the mirrors that came with it", async () => {
  const readings: ((found: readonly ReadOnlyMirror[]) => void)[] = [];
  const mirrors = () => new Promise<readonly ReadOnlyMirror[]>((resolve) => readings.push(resolve));
  const rule = new MirrorRule({ partition: "svc", actions: ["fs:WriteObject", "fs:ReadObject"], mirrors });
  const late = rule.of("alice");
  rule.tell({ all: true });
  const current = rule.of("alice");
  readings[1]?.([mirror("bob")]);
  expect(await current).toBeDefined();
  readings[0]?.([]);
  await late;
  // The key of the region goes over to somebody else.
  rule.tell({ users: ["bob", "carol"] });
  const changed = rule.of("bob");
  readings[2]?.([mirror("carol")]);
  expect(await changed).toBeDefined();
});
