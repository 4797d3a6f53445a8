import { expect, it } from "vitest";
import { openLog } from "../../src/compose/data.ts";
import { openServiceUsage } from "../../src/compose/records/usage.ts";
import { configFromObject } from "../../src/config/load.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const KEY = "a-secret-key-that-only-this-test-knows-0123456789";

it("use is not said to be known from a time in which the configuration had it not counted", async () => {
  const folder = temporaryFolder();
  const start = (interval: string) => {
    const { values } = configFromObject({
      "database.type": "local",
      "database.local.path": folder,
      "auth.encrypt.secret_key": KEY,
      "authorizer.node_name": "n1",
      "authorizer.usage.interval": interval,
      "logging.level": "NONE",
    });
    const logger = openLog(values);
    return openServiceUsage({ values, memory: undefined, usageItems: undefined, logger });
  };
  const first = start("5m");
  const began = first?.countedSince() ?? 0;
  await first?.close();
  const again = start("5m");
  expect(again?.countedSince()).toBe(began);
  await again?.close();
  expect(start("0s")).toBeUndefined();
  const startedAt = Date.now();
  const later = start("5m");
  expect(later?.countedSince()).toBeGreaterThanOrEqual(startedAt);
  expect(startedAt).toBeGreaterThan(began);
  await later?.close();
});
