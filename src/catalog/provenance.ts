/** Where policy data comes from. */

/** Where a piece of policy data comes from, and where another form of it exists. */
export interface Provenance {
  /** `seed 000`, or `data server` for what only the reference has. */
  readonly source: string;
  /** Where the seed and the data server differ, and what was chosen. */
  readonly note?: string;
}
