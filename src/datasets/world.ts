/** The environment of the checks: the rules, the catalog, and the state of the directory. */

import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import type { DatasetMode } from "./plan.ts";
import type { PreconfiguredSet } from "./wanted.ts";

/** Input of the checks from catalog and configuration. */
export interface DatasetRules {
  /** Partition of the ARNs in data sets (`authorizer.partition`). */
  readonly partition: string;
  readonly guards: Guards;
  readonly limits: Partial<PolicyLimits>;
  readonly preconfigured: PreconfiguredSet;
  /** Services of the data server, which data sets must not declare. */
  readonly builtInServices: ReadonlySet<string>;
  /** Compiled types of the data server, by name. */
  readonly builtInTypes: ReadonlyMap<string, { toArn(id: string): string | { readonly problem: string } }>;
}

/** True if an entity of the directory remains after the data sets are applied. */
export function isKept(managed: boolean, mode: DatasetMode): boolean {
  return mode === "load" || !managed;
}

interface HasName {
  has(name: string): boolean;
}

/** The names that data sets define, with those of invalid definitions. */
export interface DefinedNames {
  readonly groups: { readonly entries: HasName; readonly brokenNames: HasName };
  readonly policies: { readonly entries: HasName; readonly brokenNames: HasName };
  readonly preconfigured: boolean;
}

/** Groups and policies of the directory, as far as they matter. */
export interface NamedState {
  readonly groups: ReadonlyMap<string, { readonly group: Mark }>;
  readonly policies: ReadonlyMap<string, Mark>;
}

interface Mark {
  readonly managed: boolean;
}

/** The names that references may use after the data sets are applied, including names of invalid definitions. */
interface Existing {
  hasGroup(name: string): boolean;
  hasPolicy(name: string): boolean;
}

/**
 * Names after applying: defined in the same load, preconfigured (if asked for), or in the directory and not removed by
 * a `sync`.
 */
export function existingAfter(
  merged: DefinedNames,
  rules: DatasetRules,
  state: NamedState,
  mode: DatasetMode,
): Existing {
  const preconfigured = merged.preconfigured ? rules.preconfigured : { policies: [], groups: [] };
  const groupNames = new Set(preconfigured.groups.map(({ name }) => name));
  const policyNames = new Set(preconfigured.policies.map(({ name }) => name));
  const { groups, policies } = merged;
  const inDirectory = (mark: { readonly managed: boolean } | undefined) =>
    mark !== undefined && isKept(mark.managed, mode);
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
