import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Starts and stops a service with a log in the default folder. */
async function runService(path: string): Promise<void> {
  const authorizer = await startAuthorizer({
    config: {
      "database.type": "local",
      "database.local.path": path,
      "authorizer.decision_log.include": "denied",
    },
  });
  await authorizer.close();
}

it("records and last use are kept in database.local.path, where the service may write", async () => {
  const path = join(folder, "data");
  await runService(path);
  expect(readdirSync(join(path, "decision-log"))).toContainEqual(expect.stringMatching(/^usage-.*\.sqlite$/));
  expect(readdirSync(folder)).toEqual(["data"]);
});

it("a folder that version 0.2.0 made beside it is kept", async () => {
  const earlier = join(folder, "decision-log");
  mkdirSync(earlier);
  const path = join(folder, "data");
  await runService(path);
  expect(readdirSync(earlier)).toContainEqual(expect.stringMatching(/^usage-.*\.sqlite$/));
  expect(existsSync(join(path, "decision-log"))).toBe(false);
});
