/** The imports that a room may have. */
interface Row {
  /** Rooms and files that may be imported, values and types. */
  readonly may: readonly string[];
  /** Rooms and files that may be imported with `import type` only: ports that a neighbour declares. */
  readonly types?: readonly string[];
}

/** Rows by room. */
export type Rooms = Readonly<Record<string, Row>>;
