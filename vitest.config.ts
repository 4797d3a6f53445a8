import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/long-first.ts";
import { PROJECTS, testFiles } from "./test/projects.ts";

const files = testFiles(import.meta.dirname);

export default defineConfig({
  test: {
    globalSetup: ["./test/kept-records/global-setup.ts"],
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/left-out.ts"],
    projects: PROJECTS.map((name) => ({
      test: {
        name,
        include: [...files[name]],
        setupFiles: ["./test/whole-sizes.ts"],
        testTimeout: 30_000,
        hookTimeout: 30_000,
        pool: "forks" as const,
      },
    })),
  },
});
