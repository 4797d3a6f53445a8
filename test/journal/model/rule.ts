/** The form of a rule that a run can be made without. */

import type { Edit } from "./biases.ts";

/** A rule that a run can be made without. */
export interface Rule extends Edit {
  readonly name: string;
  readonly source: string;
  /** Seed and number of a run that failed without it when it was written down: a fault that is rare is looked for there first. */
  readonly found?: readonly [seed: number, run: number];
  /** Other lines that are replaced: they keep the rule, too, or hide it from short runs. */
  readonly also?: readonly Edit[];
}

/** Sources that rules of writing and rules of copies edit. */
export const WRITER = "src/journal/writer.ts";
export const NODE = "src/journal/node.ts";
