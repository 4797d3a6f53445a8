/** Calls of the API that commands make, as data. */

import type { PathPart } from "../api/path-template.ts";
import type { Column } from "../output/records.ts";

/** A list of the API. */
export interface ListRequest {
  readonly path: readonly PathPart[];
  readonly columns: readonly Column[];
  /** Entries are policies: one row for each of their statements. */
  readonly statements?: true;
  /** Switches that are sent as query parameters of the same name. */
  readonly switches?: readonly string[];
  /** Query parameters, each from an option. */
  readonly query?: Readonly<Record<string, string>>;
}

/** A call that changes something, and answers without a body. */
export interface ChangeRequest {
  readonly method: "PUT" | "POST" | "DELETE";
  readonly path: readonly PathPart[];
  /** Query parameters, each from an option. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly expect: number;
  /** Printed when it is done. */
  readonly done: string;
}

/** An object of the API that is shown as lines `Label: value`. */
export interface ShowRequest {
  readonly path: readonly PathPart[];
  readonly query?: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
}
