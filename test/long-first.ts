/**
 * Begins with the files that take long: a long one that begins last would leave the other workers idle. For the same reason
 * the projects follow one another without a pause, units last.
 */

import { BaseSequencer, type TestSpecification } from "vitest/node";
import { PROJECTS } from "./projects.ts";

/** Files and folders in their order. Those that mostly wait leave the processors to those beside them, and come early. */
const LONG = [
  "test/proofs/mirror-nodes/",
  "test/end-to-end/holds/",
  "test/exchange/service-away.test.ts",
  "packages/console/test/pages.test.ts",
  "test/proofs/replaced-database.test.ts",
  "packages/console/test/mirrors.test.ts",
  "test/workers/shared-database.test.ts",
  "test/packages/server.test.ts",
  "test/gateways/gateways.test.ts",
  "test/end-to-end/hostile.test.ts",
  "test/exchange/frames.test.ts",
  "test/journal/processes.test.ts",
  "test/workers/",
  "test/proofs/",
  "test/tracing/traces.test.ts",
  "test/journal/postgres-faults.test.ts",
  "test/journal/model.test.ts",
  "test/examples/examples.test.ts",
  "test/end-to-end/process.test.ts",
  "packages/console/test/rights.test.ts",
  "test/end-to-end/connection-flood.test.ts",
  "test/packages/",
  "test/journal/",
  "test/mail/",
  "test/store/local-stage.test.ts",
  "test/directory/history.test.ts",
  "test/api/management/compare.test.ts",
  "test/api/decisions/schemas.test.ts",
  "test/api/management/escalation.test.ts",
];

const NAMES: readonly string[] = PROJECTS;

/** Sorts the files of a run. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((path) => moduleId.includes(`/${path}`));
      return place < 0 ? LONG.length : place;
    };
    // A worker is kept from file to file of a project.
    const project = (file: TestSpecification): number => -NAMES.indexOf(file.project.name);
    return (await super.sort(files)).sort((a, b) => project(a) - project(b) || rank(a) - rank(b));
  }
}
