/** The durable mark of a bootstrap, with the digest of everything that it installed. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { BootstrapMode, ShippedSet } from "./shipped-set.ts";

/** Name of the mark in the directory. */
export const BOOTSTRAP_MARK = "bootstrap";

/** Digest of the installed entity by name; null if the name existed before. */
type InstalledDigests = ReadonlyMap<string, string | null>;

/** The record of an earlier bootstrap. */
export interface BootstrapMark {
  readonly mode: BootstrapMode;
  /** Version of the policy data, for people. */
  readonly version: string;
  /** Digest of the whole set. If it is unchanged, there is nothing to do. */
  readonly digest: string;
  readonly policies: InstalledDigests;
  readonly groups: InstalledDigests;
  /** The place of the generated credentials of the first administrator, where there are some. */
  readonly credentials?: CredentialsPlace;
}

/** A file on one of the machines that share a store. */
export interface CredentialsPlace {
  readonly host: string;
  readonly file: string;
}

const FORMAT = 1;

interface StoredMark {
  readonly format: number;
  readonly mode: BootstrapMode;
  readonly version: string;
  readonly digest: string;
  readonly policies: readonly (readonly [string, string | null])[];
  readonly groups: readonly (readonly [string, string | null])[];
  readonly credentials?: CredentialsPlace;
}

/** The mark as JSON. */
export function storedMark(
  { mode, version, digest }: ShippedSet,
  policies: InstalledDigests,
  groups: InstalledDigests,
  credentials?: CredentialsPlace,
): StoredMark {
  const installed = { policies: [...policies], groups: [...groups] };
  return { format: FORMAT, mode, version, digest, ...installed, ...(credentials && { credentials }) };
}

/**
 * Reads the mark of a store; undefined if there was no bootstrap.
 * @throws AuthorizerError "invalid_request" for a mark of a newer program
 */
export function readMark(stored: unknown): BootstrapMark | undefined {
  if (stored === undefined) return undefined;
  const { format, mode, version, digest, policies, groups, credentials } = stored as StoredMark;
  if (format !== FORMAT) {
    const message = `the bootstrap of this store was recorded in format ${format}, this program knows ${FORMAT}; use a newer program`;
    throw new AuthorizerError("invalid_request", message);
  }
  const installed = { policies: new Map(policies), groups: new Map(groups) };
  return { mode, version, digest, ...installed, ...(credentials && { credentials }) };
}
