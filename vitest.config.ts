import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/long-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    globalSetup: ["./test/kept-records/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/left-out.ts"],
  },
});
