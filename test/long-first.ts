/** Begins with the files that take long: a long one that begins last would leave one of the two workers idle. */

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files and folders below `test` in their order. Those beside the first, which measures times, mostly wait. */
const LONG = [
  "end-to-end/hostile.test.ts",
  "tracing/traces.test.ts",
  "mail/",
  "end-to-end/process.test.ts",
  "workers/",
  "console/pages.test.ts",
  "journal/processes.test.ts",
  "console/rights.test.ts",
  "journal/model.test.ts",
  "examples/examples.test.ts",
  "proofs/",
];

/** Sorts the files of a run. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((path) => moduleId.includes(`/test/${path}`));
      return place < 0 ? LONG.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
