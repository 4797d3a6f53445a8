/** The durable mark of a bootstrap, with the digest of everything that it installed. */

import { AuthorizerError } from "../errors.ts";
import type { BootstrapMode, ShippedSet } from "./shipped-set.ts";

/** Name of the mark in the directory. */
export const BOOTSTRAP_MARK = "bootstrap";

/** Digest of the installed entity by name; null if the name existed before. */
export type InstalledDigests = ReadonlyMap<string, string | null>;

/** The record of an earlier bootstrap. */
export interface BootstrapMark {
  readonly mode: BootstrapMode;
  /** Version of the policy data, for people. */
  readonly version: string;
  /** Digest of the whole set. If it is unchanged, there is nothing to do. */
  readonly digest: string;
  readonly policies: InstalledDigests;
  readonly groups: InstalledDigests;
}

const FORMAT = 1;

interface StoredMark {
  readonly format: number;
  readonly mode: BootstrapMode;
  readonly version: string;
  readonly digest: string;
  readonly policies: readonly (readonly [string, string | null])[];
  readonly groups: readonly (readonly [string, string | null])[];
}

/** The mark as JSON. */
export function storedMark(
  { mode, version, digest }: ShippedSet,
  policies: InstalledDigests,
  groups: InstalledDigests,
): StoredMark {
  return { format: FORMAT, mode, version, digest, policies: [...policies], groups: [...groups] };
}

/**
 * Reads the mark of a store; undefined if there was no bootstrap.
 * @throws AuthorizerError "invalid_request" for a mark of a newer program
 */
export function readMark(stored: unknown): BootstrapMark | undefined {
  if (stored === undefined) return undefined;
  const { format, mode, version, digest, policies, groups } = stored as StoredMark;
  if (format !== FORMAT) {
    const message = `the bootstrap of this store was recorded in format ${format}, this program knows ${FORMAT}; use a newer program`;
    throw new AuthorizerError("invalid_request", message);
  }
  return { mode, version, digest, policies: new Map(policies), groups: new Map(groups) };
}
