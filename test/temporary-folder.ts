import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** An empty folder that goes with the test that asked for it; outside of tests, with the file or the group. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-authorizer-test-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    // Only while tests are collected is there no test.
    afterAll(remove);
  }
  return folder;
}
