/** The end of a service does not wait for a shadow candidate that is loaded (spec/decision-log §4.2). */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { openConfiguredShadow } from "../../src/compose/records/shadow.ts";
import { configFromObject } from "../../src/config/load.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const USERS = 30_000;

it.each([0, 100, 400, 700])("a large candidate is broken off after %i ms, without an error", async (ms) => {
  const folder = temporaryFolder();
  const [source, output] = [join(folder, "candidate.json"), join(folder, "log")];
  writeFileSync(source, JSON.stringify({ format: 1, users: [{ username: "alice" }] }));
  const { values } = configFromObject(
    {},
    {
      "database.type": "mem",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
      "authorizer.shadow.candidate": source,
      "authorizer.shadow.share": 1,
      "logging.output": output,
    },
  );
  const data = await openData(values, openLog(values));
  onTestFinished(() => data.close());
  const shadow = await openConfiguredShadow(data, openEndpoints(data.catalog));
  if (shadow === undefined) throw new Error("there is no shadow");
  const first = shadow.shadow.report().candidate;
  expect(first?.kind).toBe("data_set");
  const users = Array.from({ length: USERS }, (_, index) => ({ username: `user${index}` }));
  writeFileSync(source, JSON.stringify({ format: 1, users }));
  const loading = shadow.load();
  await setTimeout(ms);
  await shadow.close();
  await loading;
  await data.close();
  const lines = readFileSync(output, "utf8").split("\n");
  const [, ...later] = lines.filter((line) => line.includes("shadow candidate"));
  expect(later.filter((line) => !line.includes("shadow candidate loaded"))).toEqual([]);
  // A fast machine may have loaded it before a later end.
  if (ms === 0) expect(later).toEqual([]);
});
