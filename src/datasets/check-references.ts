/** Checks that memberships and attachments name existing entities, each once. */

import { bulkPause } from "../schedule/bulk-pause.ts";
import type { Defined, MergedDataset } from "./merge.ts";
import type { DatasetMode } from "./plan.ts";
import type { ProblemList } from "./problem-list.ts";
import { type DatasetRules, type DefinedNames, existingAfter, type NamedState } from "./world.ts";

/** A kind of reference. */
interface ReferenceKind {
  readonly what: "group" | "policy";
  readonly exists: (name: string) => boolean;
  readonly preconfigured: ReadonlySet<string>;
  readonly inDirectory: (name: string) => boolean;
}

function missingMessage(kind: ReferenceKind, name: string): string {
  const { what } = kind;
  if (kind.inDirectory(name)) {
    return `a former sync made this ${what}, and this one would remove it: define it in one of the files`;
  }
  const hint = kind.preconfigured.has(name)
    ? '; it is preconfigured: write "preconfigured: true" to load it'
    : "";
  return `there is no ${what} of this name, neither in these files nor in the directory${hint}`;
}

/** The surroundings of references. */
interface ReferenceChecks {
  readonly rules: DatasetRules;
  readonly state: NamedState;
  readonly mode: DatasetMode;
  readonly problems: ProblemList;
}

/**
 * Checks that all references name entities that exist after the data sets are applied.
 * @param names what all data sets define
 */
export async function checkReferences(
  merged: Pick<MergedDataset, "users" | "groups">,
  names: DefinedNames,
  { rules, state, mode, problems }: ReferenceChecks,
): Promise<void> {
  const existing = existingAfter(names, rules, state, mode);
  const groups: ReferenceKind = {
    what: "group",
    exists: existing.hasGroup,
    preconfigured: new Set(rules.preconfigured.groups.map(({ name }) => name)),
    inDirectory: (name) => state.groups.has(name),
  };
  const policies: ReferenceKind = {
    what: "policy",
    exists: existing.hasPolicy,
    preconfigured: new Set(rules.preconfigured.policies.map(({ name }) => name)),
    inDirectory: (name) => state.policies.has(name),
  };
  const pause = bulkPause();
  // One user or group may have as many names as all others together.
  const check = async (
    from: Defined<unknown>,
    field: string,
    kind: ReferenceKind,
    names: readonly string[] = [],
  ): Promise<void> => {
    for (const [index, name] of names.entries()) {
      await pause();
      if (kind.exists(name)) continue;
      problems.add(from.source, `${from.pointer}/${field}/${index}`, missingMessage(kind, name));
    }
  };
  for (const user of merged.users.entries.values()) {
    await check(user, "groups", groups, user.value.groups);
    await check(user, "policies", policies, user.value.policies);
  }
  for (const group of merged.groups.entries.values()) {
    await check(group, "policies", policies, group.value.policies);
  }
}
