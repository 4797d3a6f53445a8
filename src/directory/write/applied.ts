/** The records of the last state that documents gave to entities (spec/management-cli §10). */

import { type Applied, type BatchOperation, entityKey } from "../batch.ts";
import { notFound } from "../checks.ts";
import type { StateReader } from "../read/reader.ts";
import type { AppliedRecord } from "../records/layout.ts";
import type { Transaction } from "./transaction.ts";

/** Keeps the last state of an entity, which must exist. */
export async function putApplied(
  tx: Transaction,
  operation: Extract<BatchOperation, { readonly op: "put_applied" }>,
): Promise<void> {
  const { kind, name, manager, said, dropped } = operation;
  const entity = await tx.get(kind, name);
  if (entity === undefined) throw notFound(kind, name);
  const key = entityKey(operation);
  // Reading it first lets the commit leave out what is kept already.
  await tx.get("applied", key);
  tx.put("applied", key, { id: entity.id, manager, said, ...(dropped && { dropped: true }) });
}

/** Internal id of the entity that has a name now, if any. */
type IdOf = (kind: Applied["kind"], name: string) => string | undefined | Promise<string | undefined>;

/** Reads the last states of all entities. */
export async function readApplied(reader: StateReader, idOf: IdOf): Promise<Map<string, Applied>> {
  const applied = new Map<string, Applied>();
  for await (const one of everyApplied(reader, idOf)) applied.set(entityKey(one), one);
  return applied;
}

/** The last states of all entities, in UTF-8 byte order of their keys. */
export async function* everyApplied(reader: StateReader, idOf: IdOf): AsyncGenerator<Applied> {
  for await (const page of reader.scanAll("applied")) {
    for (const { key, record } of page) yield await toApplied(key, record, idOf);
  }
}

async function toApplied(
  key: string,
  { id, manager, said, dropped }: AppliedRecord,
  idOf: IdOf,
): Promise<Applied> {
  const slash = key.indexOf("/");
  const kind = key.slice(0, slash) as Applied["kind"];
  const name = key.slice(slash + 1);
  const now = await idOf(kind, name);
  const remains = now === id ? "same" : "other";
  return {
    kind,
    name,
    manager,
    said,
    dropped: dropped === true,
    entity: now === undefined ? "gone" : remains,
  };
}
