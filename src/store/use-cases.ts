/** Descriptions of the use cases whose writes entries hold (spec/journal §1). */

import type { CheckedCommit } from "./checks.ts";
import type { EntryWrites, Touched, UseCase } from "./port.ts";
import { MAX_TOUCHED, touchedOf } from "./port.ts";

/** The use case of a commit; undefined where it touches nothing and nobody asked for it. */
export function useCaseOf({ actor, touched }: Pick<CheckedCommit, "actor" | "touched">): UseCase | undefined {
  if (actor === undefined && touched === undefined) return undefined;
  return { ...(actor !== undefined && { actor }), ...(touched !== undefined && { touched }) };
}

/** Returns the writes of a commit that is an entry of its own. */
export function writesOfCommit(commit: CheckedCommit): EntryWrites {
  const { put, delete: deleted, change } = commit;
  const useCase = useCaseOf(commit);
  return {
    put,
    delete: deleted,
    ...(change !== undefined && { change }),
    ...(useCase !== undefined && { useCases: [useCase] }),
  };
}

/** Returns the things that several use cases touch together, by name; undefined where none of them touches anything. */
export function mergeTouched(useCases: readonly UseCase[]): Touched | undefined {
  const given = useCases.flatMap(({ touched }) => (touched === undefined ? [] : [touched]));
  if (given.length <= 1) return given[0];
  if (given.some(({ all }) => all === true)) return { all: true };
  const union = (of: "users" | "groups" | "policies" | "resources"): string[] => [
    ...new Set(given.flatMap((touched) => touched[of] ?? [])),
  ];
  return touchedOf({
    users: union("users"),
    groups: union("groups"),
    policies: union("policies"),
    resources: union("resources"),
  });
}

/** The use cases of several, of which together at most {@link MAX_TOUCHED} names are kept. */
export function boundedUseCases(useCases: readonly UseCase[]): readonly UseCase[] {
  let count = 0;
  return useCases.map(({ actor, touched }) => {
    const { users = [], groups = [], policies = [], resources = [] } = touched ?? {};
    count += users.length + groups.length + policies.length + resources.length;
    if (touched === undefined || count <= MAX_TOUCHED) {
      return { ...(actor !== undefined && { actor }), ...(touched !== undefined && { touched }) };
    }
    return { ...(actor !== undefined && { actor }), touched: { all: true } };
  });
}
