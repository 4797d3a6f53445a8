/** The permission tables of `policies/endpoints/`: what each operation of a data server needs (spec/permissions §8). */

import type { RequiredAnyResource, RequiredLeaf } from "../model/decision.ts";

/** The source of a piece of policy data, and how other sources differ. */
export interface Provenance {
  /** The section of `docs/spec/` that specifies it, such as `spec/permissions §12`. */
  readonly source: string;
  /** The difference between the reference and the data server, and the choice made here. */
  readonly note?: string;
}

/** The APIs of a data server that have a permission table. */
export type EndpointApi = "main" | "gateway" | "replication";

/** One alternative of a choice. */
export interface Alternative {
  /** Absent if the alternative always applies. A missing parameter has the value "". */
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
 * Of a choice, the first alternative applies whose condition holds.
 */
export type RequiredTemplate =
  | RequiredLeaf
  | RequiredAnyResource
  | { readonly and: readonly RequiredTemplate[] }
  | { readonly choice: readonly Alternative[] };

/** The check of each item of a listing or of a bulk operation. */
export interface PerItemTemplate extends RequiredLeaf {
  /** The list of the items, e.g. `results` or `body.paths`. */
  readonly over: string;
  /** The place of the list: only in the answer, or in the body of the request. */
  readonly from: "results" | "json_body" | "xml_body";
  /** The placeholder of `resource` that stands for an item. */
  readonly item: string;
  /** `query.name`: the check applies only if that parameter is present with a value other than `false`. */
  readonly unlessFalse?: string;
}

/** The row of the reference (spec/permissions §12) to which a row of the table corresponds. */
interface ReferenceRow {
  /** Counted from 1. */
  readonly row: number;
  readonly name: string;
  /** The difference between the reference and this row. */
  readonly differs?: string;
  readonly note?: string;
}

/** A row: one operation and the permissions that it needs. */
export interface EndpointRow extends Provenance {
  /** Unique in its table. */
  readonly operation: string;
  /** null, as is `path`, if no request performs the operation. */
  readonly method: string | null;
  /** Template below the base path: `{name}` matches one segment, a final `{name+}` matches all remaining ones. */
  readonly path: string | null;
  /** Parameters of the query that select the row: `name` with any value, or `name=value`. */
  readonly query: readonly string[];
  /** Headers that select the row, in lower case. */
  readonly headers: readonly string[];
  readonly authentication: "none" | "optional" | "required";
  /**
   * True if every authenticated user may perform the operation. This is explicit because empty is never allow
   * (spec/security §2.4).
   */
  readonly anyAuthenticatedUser: boolean;
  /** null if only `forEach` and `perItem` apply. */
  readonly required: RequiredTemplate | null;
  /** Permissions needed for every item of a list in the body, in addition to `required`. */
  readonly forEach?: { readonly over: string; readonly required: readonly RequiredLeaf[] };
  readonly perItem?: PerItemTemplate;
  /** Placeholders whose values no request carries. */
  readonly facts: readonly string[];
  /** A value that is an e-mail address and is lower-cased if a member of the body is present and not `false`. */
  readonly email?: { readonly value: string; readonly unlessFalse: string };
  /** For people: when the data server answers 501. */
  readonly availability: readonly string[];
  readonly deprecated: boolean;
  readonly reference: readonly ReferenceRow[];
}

/** The permission table of one API. */
export interface EndpointTable {
  readonly api: EndpointApi;
  /** Prefix of every path, or "". */
  readonly basePath: string;
  readonly rows: readonly EndpointRow[];
}
