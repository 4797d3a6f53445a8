/** A folder that a test file works in, removed after it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

/** Makes the folder; answers what writes a file below it and returns its path. */
export function fileFolder(): {
  readonly path: string;
  write(name: string, content: string | object): string;
} {
  const path = mkdtempSync(join(tmpdir(), "svc-authorizer-datasets-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
  };
}
