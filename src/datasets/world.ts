/** What data sets are checked against: the rules in force, the catalog, and what the directory has. */

import type { DirectoryState } from "../directory/batch.ts";
import type { Guards } from "../model/names.ts";
import type { PolicyLimits } from "../model/policy-validation.ts";
import type { MergedDataset } from "./merge.ts";
import type { DatasetMode } from "./plan.ts";
import type { PreconfiguredSet } from "./wanted.ts";

/** What checks need of the catalog and the configuration. */
export interface DatasetRules {
  /** Partition of the ARNs in data sets (`authorizer.partition`). */
  readonly partition: string;
  readonly guards: Guards;
  readonly limits: Partial<PolicyLimits>;
  readonly preconfigured: PreconfiguredSet;
  /** Services of the data server, which data sets must not declare. */
  readonly builtInServices: ReadonlySet<string>;
  /** Types of the data server by name, made ready to fill in ids. */
  readonly builtInTypes: ReadonlyMap<string, { toArn(id: string): string | { readonly problem: string } }>;
}

/** Whether something in the directory is still there once the data sets are applied. */
export function stays(managed: boolean, mode: DatasetMode): boolean {
  return mode === "load" || !managed;
}

/** What can be referred to once the data sets are applied; names of what they define wrongly count, too. */
export interface Existing {
  hasGroup(name: string): boolean;
  hasPolicy(name: string): boolean;
}

/**
 * Names after applying: defined in the same load, preconfigured where that is asked for, or in the directory and,
 * for `sync`, not about to be removed.
 */
export function existingAfter(
  merged: MergedDataset,
  rules: DatasetRules,
  state: DirectoryState,
  mode: DatasetMode,
): Existing {
  const preconfigured = merged.preconfigured ? rules.preconfigured : { policies: [], groups: [] };
  const groupNames = new Set(preconfigured.groups.map(({ name }) => name));
  const policyNames = new Set(preconfigured.policies.map(({ name }) => name));
  const { groups, policies } = merged;
  const inDirectory = (mark: { readonly managed: boolean } | undefined) =>
    mark !== undefined && stays(mark.managed, mode);
  return {
    hasGroup: (name) =>
      groups.entries.has(name) ||
      groups.brokenNames.has(name) ||
      groupNames.has(name) ||
      inDirectory(state.groups.get(name)?.group),
    hasPolicy: (name) =>
      policies.entries.has(name) ||
      policies.brokenNames.has(name) ||
      policyNames.has(name) ||
      inDirectory(state.policies.get(name)),
  };
}
