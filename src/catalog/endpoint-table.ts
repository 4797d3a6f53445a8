/** The permission tables of `policies/endpoints/`: what each operation of a data server needs (permissions.md §8). */

import type { RequiredAnyResource, RequiredLeaf } from "../model/decision.ts";
import type { Provenance } from "./provenance.ts";

/** The APIs of a data server that have a permission table. */
export type EndpointApi = "main" | "gateway" | "replication";

/** One way of a choice. */
export interface Alternative {
  /** Absent: holds always. A parameter that is not there has the value "". */
  readonly when?: {
    /** By placeholder (`query.delimiter`), the value that it must have. */
    readonly is?: Readonly<Record<string, string>>;
    /** By placeholder, a text that its value must not contain. */
    readonly lacks?: Readonly<Record<string, string>>;
  };
  readonly required: RequiredTemplate;
}

/**
 * A tree of permissions whose resources have `{placeholder}`s: `{name}` of the path, `{query.name}`, `{body.name}`,
 * `{body.name[]}` for every element, `{copy_source.repository}` and `{copy_source.key}`, and facts of the row.
 * Of a choice, the first alternative holds whose condition does.
 */
export type RequiredTemplate =
  | RequiredLeaf
  | RequiredAnyResource
  | { readonly and: readonly RequiredTemplate[] }
  | { readonly choice: readonly Alternative[] };

/** The check of each item of a listing or of a bulk operation. */
export interface PerItemTemplate extends RequiredLeaf {
  /** What the items are, e.g. `results` or `body.paths`. */
  readonly over: string;
  /** Where they stand: only in the answer, or in the body of the request. */
  readonly from: "results" | "json_body" | "xml_body";
  /** The placeholder of `resource` that stands for an item. */
  readonly item: string;
  /** `query.name`: the check is made only where that parameter is there with another value than `false`. */
  readonly unlessFalse?: string;
}

/** A row of the reference (permissions.md §12) that a row stands for. */
export interface ReferenceRow {
  /** Counted from 1. */
  readonly row: number;
  readonly name: string;
  /** Where the reference says something else than the row. */
  readonly differs?: string;
  readonly note?: string;
}

/** What one operation needs. */
export interface EndpointRow extends Provenance {
  /** Unique in its table. */
  readonly operation: string;
  /** null, as `path`, where no request makes the operation. */
  readonly method: string | null;
  /** Template below the base path: `{name}` fills one segment, `{name+}` at the end all that are left. */
  readonly path: string | null;
  /** Parameters of the query that select the row: `name` with any value, or `name=value`. */
  readonly query: readonly string[];
  /** Headers that select the row, in lower case. */
  readonly headers: readonly string[];
  readonly authentication: "none" | "optional" | "required";
  /** True where nothing is needed but to be somebody: written out, since empty is never allow. */
  readonly anyAuthenticatedUser: boolean;
  /** null: nothing beside `forEach` and `perItem`. */
  readonly required: RequiredTemplate | null;
  /** Permissions needed for every item of a list in the body, beside those of `required`. */
  readonly forEach?: { readonly over: string; readonly required: readonly RequiredLeaf[] };
  readonly perItem?: PerItemTemplate;
  /** Placeholders whose values no request carries. */
  readonly facts: readonly string[];
  /** A value that is an e-mail address, lower-cased, where a member of the body is there and not `false`. */
  readonly email?: { readonly value: string; readonly unlessFalse: string };
  /** For people: when the data server answers 501. */
  readonly availability: readonly string[];
  readonly deprecated: boolean;
  readonly reference: readonly ReferenceRow[];
}

/** The permission table of one API. */
export interface EndpointTable {
  readonly api: EndpointApi;
  /** What stands before every path, "" for nothing. */
  readonly basePath: string;
  readonly rows: readonly EndpointRow[];
}
