import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that goes with the test that asked for it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-authorizer-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
