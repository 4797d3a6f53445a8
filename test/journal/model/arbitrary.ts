/** Runs that fast-check makes up and shrinks. */

import fc from "fast-check";
import type { UseCase } from "./client.ts";
import type { Run } from "./run.ts";

const useCase: fc.Arbitrary<UseCase> = fc.record({
  read: fc.nat(3),
  scan: fc.integer({ min: 0, max: 3 }).map((of) => of === 3),
  write: fc.nat(3),
  bulk: fc.integer({ min: 0, max: 7 }).map((of) => (of === 7 ? 400 : 0)),
  turn: fc.integer({ min: 0, max: 9 }).map((of) => of === 9),
  nothing: fc.integer({ min: 0, max: 2 }).map((of) => of === 2),
});

const client = fc.array(useCase, { minLength: 1, maxLength: 4 });
const node = fc.array(client, { minLength: 1, maxLength: 3 });

/** Two to four nodes with up to three clients each. */
export const anyRun: fc.Arbitrary<Run> = fc.record({
  nodes: fc.array(node, { minLength: 2, maxLength: 4 }),
  choices: fc.array(fc.nat(100_000), { minLength: 400, maxLength: 2_500, size: "max" }),
});
