/** Names of entities by internal id, as they are now or as lost entries left them. */

import { type Store, withSnapshot } from "../../store/port.ts";
import type { DirectoryContext } from "../context.ts";
import type { LostChanges } from "../lost-changes.ts";
import { Reader } from "../read/reader.ts";
import { type EntityKind, recordOf } from "./lost-units.ts";

/** An entity. */
interface NamedEntity {
  readonly kind: EntityKind;
  readonly name: string;
}

/** Entities by internal id. */
export type EntityNames = ReadonlyMap<string, NamedEntity>;

const KINDS = ["user", "group", "policy"] as const;

/** Reads all names. What is there now goes before what was lost. */
export async function entityNames(
  { store, policies }: Pick<DirectoryContext, "policies"> & { readonly store: Store },
  lost: LostChanges,
): Promise<EntityNames> {
  const names = new Map<string, NamedEntity>();
  for (const { partition, key, value } of lost.puts) {
    const kind = KINDS.find((one) => one === partition);
    if (kind !== undefined) names.set(recordOf(partition, key, value).id, { kind, name: key });
  }
  await withSnapshot(store, async (snapshot) => {
    const reader = new Reader(snapshot, policies);
    for (const kind of KINDS) {
      for await (const page of reader.scanAll(kind)) {
        for (const { key, record } of page) names.set(record.id, { kind, name: key });
      }
    }
  });
  return names;
}
