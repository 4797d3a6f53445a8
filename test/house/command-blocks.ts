/**
 * Every command block (`sh` or `console`) of the documentation (`fixtures/house/blocks.yaml`): which test runs it, or why
 * none does. `docs.test.ts` checks that the tables are complete and that none of their rows is superfluous.
 */

import { readFixture } from "../read-fixture.ts";

/** Blocks of a page that a test runs. */
interface ExecutedBlocks {
  readonly page: string;
  /** Beginning of the blocks; absent: all blocks of the page in this language. */
  readonly begins?: string;
  readonly language: "sh" | "console";
  /** The test that runs them; it reads the page. */
  readonly test: string;
}

/** One block that no test runs. */
interface UnexecutedBlock {
  readonly page: string;
  /** Beginning of the block, without a prompt. */
  readonly begins: string;
  readonly reason: string;
}

interface Tables {
  readonly executed: readonly ExecutedBlocks[];
  readonly not_executed: readonly UnexecutedBlock[];
}

/** Blocks that a test runs, and blocks that no test runs. */
export const { executed: EXECUTED, not_executed: NOT_EXECUTED } = readFixture<Tables>("house/blocks.yaml");
