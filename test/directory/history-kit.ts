/** States of a directory that tests of its past compare. */

import type { DirectoryState } from "../../src/directory/batch.ts";

const statement = (action: string) => [{ effect: "allow" as const, action: [action], resource: "*" }];
export const READS = statement("fs:ReadObject");
export const WRITES = statement("fs:WriteObject");

/** Returns the part of a state that a restore brings back, as plain values. */
export function comparable({ users, groups, policies, resourceTypes, resources }: DirectoryState): unknown {
  const names = (map: ReadonlyMap<string, unknown>) => [...map.keys()];
  return {
    users: [...users].map(([name, state]) => {
      const { encryptedPassword: _, creation_date: __, ...user } = state.user.value;
      const { groups: of, policies: held, externalPrincipals } = state;
      return [name, user, names(of), names(held), names(externalPrincipals)];
    }),
    groups: [...groups].map(([name, state]) => [name, state.group.value.description, names(state.policies)]),
    policies: [...policies].map(([name, { value }]) => [name, value.statement, value.acl]),
    types: [...resourceTypes].map(([name, { value }]) => [name, value]),
    resources: [...resources].map(([type, byId]) => [type, [...byId].map(([id, { value }]) => [id, value])]),
  };
}
