/** Provenance of policy data. */

/** The source of a piece of policy data, and how other sources differ. */
export interface Provenance {
  /** The section of `docs/spec/` that specifies it, such as `permissions.md §12`. */
  readonly source: string;
  /** The difference between the reference and the data server, and the choice made here. */
  readonly note?: string;
}
