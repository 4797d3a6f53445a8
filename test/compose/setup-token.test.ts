import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder();
const log = join(folder, "service.log");
let authorizer: TestAuthorizer;
beforeAll(async () => {
  // What is in the way of the token's file fails its writing as a full disk does.
  mkdirSync(join(folder, "svc-authorizer-setup-token"));
  writeFileSync(join(folder, "svc-authorizer-setup-token", "in-the-way"), "");
  authorizer = await startAuthorizer({
    config: {
      "database.type": "local",
      "database.local.path": folder,
      "logging.level": "INFO",
      "logging.output": log,
    },
  });
});
afterAll(() => authorizer?.close());

it("a service that cannot write its set-up token starts and decides, and says so in the log", async () => {
  const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/o" };
  expect(await authorizer.client.check({ user: "nobody", required })).toMatchObject({ allowed: false });
  expect((await fetch(`${authorizer.url}/readyz`)).status).toBe(200);
  // The log is written off the calls' time; closing writes what is left.
  await authorizer.close();
  expect(readFileSync(log, "utf8")).toMatch(
    /ERROR the file with the set-up token cannot be written.*reason=E/,
  );
});
