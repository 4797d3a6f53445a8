/** Where policy data comes from. */

/** Where a piece of policy data comes from, and where another form of it exists. */
export interface Provenance {
  /** The section of `docs/spec/` that it was taken from, such as `permissions.md §12`. */
  readonly source: string;
  /** Where the reference and the data server differ, and what was chosen. */
  readonly note?: string;
}
