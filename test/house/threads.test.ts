import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

it("a thread is started in one place, which bounds what waits for it", () => {
  const starting = globSync(["src/**/*.ts", "packages/*/src/**/*.{ts,tsx}"], { cwd: ROOT }).filter((file) =>
    /\bnew Worker\(/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(starting).toEqual(["src/threads/bounded-thread.ts"]);
});
