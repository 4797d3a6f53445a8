import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/long-first.ts";
import { PROJECTS, testFiles } from "./test/projects.ts";
import { isWhole } from "./test/proofs/size.ts";

const files = testFiles(import.meta.dirname, { sizedOnly: isWhole });

export default defineConfig({
  test: {
    globalSetup: ["./test/quick-starts.ts", "./test/kept-records/global-setup.ts"],
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/left-out.ts"],
    projects: PROJECTS.map((name) => ({
      test: {
        name,
        include: [...files[name]],
        setupFiles: ["./test/whole-sizes.ts", "./test/close-left-open.ts"],
        globalSetup: name === "processes" ? ["./test/built-service.ts", "./test/made-once.ts"] : [],
        // What ends a test that hangs; a busy machine takes twenty times as long. The whole form of a property takes minutes.
        testTimeout: isWhole ? 1_800_000 : 300_000,
        hookTimeout: 300_000,
        // A condition that is waited for comes later on a busy machine.
        expect: { poll: { timeout: 60_000 } },
        pool: "forks" as const,
        // Most files wait, for programs, databases, browsers and conditions; whole forms measure.
        maxWorkers: isWhole ? 2 : 5,
        // Loading the sources anew for each file would take more than half of the time of units, and a second of the others.
        isolate: false,
      },
    })),
  },
});
