/** The records that a list is made of, and the part of it that is wanted. */

import type { Partition, RecordTypes } from "../records/layout.ts";
import type { Found } from "./reader.ts";

/** A checked page request. */
export interface Range {
  readonly prefix: string;
  /** "" for every item. */
  readonly search: string;
  readonly after: string;
  readonly amount: number;
}

/** The source of a list, and the conversion of its items. */
export interface ListSource<P extends Partition, T> {
  readonly partition: P;
  /** Prefix of the names in the keys: "" or `<id>/`. */
  readonly base: string;
  /** Makes the items of records; undefined for one that reads as absent. `names` are the keys without base. */
  readonly items: (
    found: readonly Found<P>[],
    names: readonly string[],
  ) => Promise<readonly (T | undefined)[]> | readonly (T | undefined)[];
  /** False only for the stored text of a record of which no item is made: such records are not decoded. */
  readonly mayBeItem?: (stored: string) => boolean;
  /** Texts beside the name in which a search looks. */
  readonly texts?: (record: RecordTypes[P]) => readonly (string | undefined)[];
}
