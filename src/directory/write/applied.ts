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

/**
 * Reads the last states of all entities.
 * @param idOf internal id of the entity that has a name now, if any
 */
export async function readApplied(
  reader: StateReader,
  idOf: (kind: Applied["kind"], name: string) => string | undefined,
): Promise<Map<string, Applied>> {
  const applied = new Map<string, Applied>();
  for await (const page of reader.scanAll("applied")) {
    for (const { key, record } of page) applied.set(key, toApplied(key, record, idOf));
  }
  return applied;
}

function toApplied(
  key: string,
  { id, manager, said, dropped }: AppliedRecord,
  idOf: (kind: Applied["kind"], name: string) => string | undefined,
): Applied {
  const slash = key.indexOf("/");
  const kind = key.slice(0, slash) as Applied["kind"];
  const name = key.slice(slash + 1);
  const now = idOf(kind, name);
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
