/** A data set document (spec/decision-api §6). `policies/schema/dataset.schema.json` is its schema. */

import type { Group, User } from "./entities.ts";
import type { Policy } from "./policy.ts";
import type { RegisteredResource, ResourceType } from "./resource-type.ts";

/** An access key of a user. The secret is in the file or in an environment variable. */
export interface DatasetCredential {
  readonly access_key_id: string;
  readonly secret_access_key?: string;
  /** Name of the environment variable that holds the secret. */
  readonly secret_access_key_env?: string;
  /** Unix seconds. */
  readonly creation_date?: number;
}

/** A user with memberships, attachments and credentials. */
export interface DatasetUser extends Omit<User, "creation_date"> {
  /** Unix seconds. */
  readonly creation_date?: number;
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly credentials?: readonly DatasetCredential[];
  readonly external_principals?: readonly string[];
}

/** A group with its policies. */
export interface DatasetGroup extends Omit<Group, "creation_date"> {
  /** Unix seconds. */
  readonly creation_date?: number;
  readonly policies?: readonly string[];
}

/** A policy; its statements are kept verbatim. */
export interface DatasetPolicy extends Omit<Policy, "creation_date"> {
  /** Unix seconds. */
  readonly creation_date?: number;
}

/** A whole data set. */
export interface DatasetDocument {
  readonly format: 1;
  /** Also load the preconfigured policies and groups of the catalog. */
  readonly preconfigured?: boolean;
  readonly users?: readonly DatasetUser[];
  readonly groups?: readonly DatasetGroup[];
  readonly policies?: readonly DatasetPolicy[];
  readonly resource_types?: readonly ResourceType[];
  readonly resources?: readonly RegisteredResource[];
}

/** The only format this version reads and writes. */
export const DATASET_FORMAT = 1;
