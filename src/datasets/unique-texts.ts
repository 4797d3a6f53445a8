/** The texts that belong to one user only: access keys, external principals, external ids. */

import type { DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { UniqueText } from "../directory/batch.ts";

/** A kind of text that belongs to one user. */
interface UniqueKind {
  readonly kind: UniqueText;
  readonly what: string;
  /** The texts of a user of a data set. */
  readonly of: (user: DatasetUser) => readonly string[];
  /** The place of the text of an index within its user. */
  readonly at: (index: number) => string;
}

/** All kinds. */
export const UNIQUE_KINDS: readonly UniqueKind[] = [
  {
    kind: "access_key",
    what: "access key",
    of: ({ credentials = [] }) => credentials.map((key) => key.access_key_id),
    at: (index) => `/credentials/${index}/access_key_id`,
  },
  {
    kind: "external_principal",
    what: "external principal",
    of: ({ external_principals = [] }) => external_principals,
    at: (index) => `/external_principals/${index}`,
  },
  {
    kind: "external_id",
    what: "external id",
    of: ({ external_id }) => (external_id === undefined ? [] : [external_id]),
    at: () => "/external_id",
  },
];
