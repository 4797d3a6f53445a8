/** The documents of an application, as the entities that they name. */

import type { DatasetGroup, DatasetPolicy, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { EntityName, Said } from "../../directory/batch.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import type { Defined, MergedDataset } from "../merge.ts";

/** An entity as the documents have it. */
export interface WantedEntity extends EntityName {
  readonly said: Said;
  readonly from: Defined<unknown>;
}

/** Returns the entities that documents name: policies, then groups, then users, each in the order of the documents. */
export async function wantedEntities({
  policies,
  groups,
  users,
}: MergedDataset): Promise<readonly WantedEntity[]> {
  const entities: WantedEntity[] = [];
  const pause = bulkPause();
  const addAll = async <T>(defined: Iterable<Defined<T>>, entityOf: (from: Defined<T>) => WantedEntity) => {
    for (const from of defined) {
      entities.push(entityOf(from));
      await pause();
    }
  };
  await addAll(policies.entries.values(), policyOf);
  await addAll(groups.entries.values(), groupOf);
  await addAll(users.entries.values(), userOf);
  return entities;
}

function policyOf(from: Defined<DatasetPolicy>): WantedEntity {
  const { name, ...fields } = from.value;
  return { kind: "policy", name, said: { fields }, from };
}

function groupOf(from: Defined<DatasetGroup>): WantedEntity {
  const { name, policies, ...fields } = from.value;
  return { kind: "group", name, said: { fields: withoutEmpty(fields), ...listed({ policies }) }, from };
}

function userOf(from: Defined<DatasetUser>): WantedEntity {
  const { username, groups, policies, credentials: _c, external_principals: _p, ...fields } = from.value;
  return {
    kind: "user",
    name: username,
    said: { fields: withoutEmpty(fields), ...listed({ groups, policies }) },
    from,
  };
}

/** An empty text, an empty object and an absent field mean the same. */
function withoutEmpty(fields: object): Said["fields"] {
  const isEmpty = (value: unknown): boolean =>
    value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function listed(lists: Readonly<Record<"groups" | "policies", readonly string[] | undefined>> | object) {
  const given = Object.entries(lists).filter(([, names]) => Array.isArray(names) && names.length > 0);
  return Object.fromEntries(given) as Pick<Said, "groups" | "policies">;
}
