/**
 * Every block of the documentation and of the examples that is not a command of `command-blocks.ts`: which test runs
 * or compares it, or why none does. `fences.test.ts` checks that the tables of `fixtures/house/blocks.yaml` are complete.
 */

import { readFixture } from "../read-fixture.ts";

/** Blocks that a test runs, loads or compares. */
interface TestedBlocks {
  readonly page: string;
  readonly language: string;
  /** Beginning of the blocks; absent: all blocks of the page in this language. */
  readonly begins?: string;
  /** The test; it names the page. */
  readonly test: string;
}

/** Blocks that no test reads. */
interface UntestedBlocks {
  readonly page: string;
  readonly language: string;
  readonly begins: string;
  readonly reason: string;
}

/** Languages of pictures: they are drawn, not run. */
export const DRAWN: ReadonlySet<string> = new Set(["mermaid"]);

interface Tables {
  readonly tested: readonly TestedBlocks[];
  readonly untested: readonly UntestedBlocks[];
}

/** Blocks that a test reads, and blocks that no test reads. */
export const { tested: TESTED, untested: UNTESTED } = readFixture<Tables>("house/blocks.yaml");
