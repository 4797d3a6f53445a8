/** The state of a directory as plain data to compare: without marks and, unless wanted, without dates. */

import type { DirectoryState, Managed } from "../../src/directory/batch.ts";

function names(marks: ReadonlyMap<string, Managed<unknown>>): string[] {
  return [...marks.keys()];
}

function undated<T extends { creation_date?: number }>({ creation_date: _date, ...rest }: T) {
  return rest;
}

/** Everything that a data set can say, in the order of the state, as JSON. */
export function plainState(state: DirectoryState): unknown {
  const plain = {
    users: [...state.users.values()].map(({ user, groups, policies, credentials, externalPrincipals }) => ({
      user: undated(user.value),
      groups: names(groups),
      policies: names(policies),
      credentials: [...credentials].map(([key, { value }]) => [key, value.secret_access_key]),
      externalPrincipals: names(externalPrincipals),
    })),
    groups: [...state.groups.values()].map(({ group, policies }) => ({
      group: undated(group.value),
      policies: names(policies),
    })),
    policies: [...state.policies.values()].map(({ value }) => undated(value)),
    resourceTypes: [...state.resourceTypes.values()].map(({ value }) => value),
    resources: [...state.resources.values()].map((byId) => [...byId.values()].map(({ value }) => value)),
  };
  return JSON.parse(JSON.stringify(plain));
}
