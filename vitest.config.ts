import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/long-first.ts";

/** The names of the published packages mean the sources of this clone. */
const source = (path: string): string => join(import.meta.dirname, "src", path);

export default defineConfig({
  resolve: {
    alias: {
      "@svc-authorizer/testing": source("testing/start-authorizer.ts"),
      "@svc-authorizer/client": source("client/client.ts"),
    },
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/kept-records/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/left-out.ts"],
  },
});
