/** Operations of our own refuse query parameters that they do not know: what a misspelt filter should leave out would be answered. */

import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { basic, KEYS, type Management, startManagement } from "./kit.ts";

let api: Management;
beforeEach(async () => {
  api = await startManagement({
    "authorizer.decision_log.include": "all",
    "authorizer.decision_log.directory": temporaryFolder(),
    "authorizer.audit.directory": temporaryFolder(),
  });
});
afterEach(() => api.close());

const PATHS = [
  "/decisions",
  "/decisions/stream",
  "/audit",
  "/audit/stream",
  "/auth/access/directory",
  "/auth/access/review",
  "/auth/access/unused",
  "/auth/status",
] as const;

const ask = (path: string): Promise<Response> =>
  fetch(`${api.authorizer.userUrl}/api/v1${path}`, { headers: { authorization: basic(KEYS.admin) } });

it.each(PATHS)("%s", async (path) => {
  const misspelt = await ask(`${path}?subjct=alice`);
  expect(misspelt.status).toBe(400);
  expect(await misspelt.text()).not.toContain("subjct");
  const known = await ask(path);
  expect(known.status).toBe(200);
  await known.body?.cancel();
});
