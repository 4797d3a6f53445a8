/**
 * The records that decision points in other processes get (spec/journal §6.5): a closed list of partitions and of their
 * fields. What is not on it is not sent.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import {
  type EntryWrites,
  type RecordName,
  type ScannedRecord,
  type Store,
  withSnapshot,
} from "../../store/port.ts";
import type { Partition, RecordTypes } from "../records/layout.ts";
import { scanSome } from "./in-parts.ts";

type FieldsOf = { readonly [P in Partition]: ((record: RecordTypes[P]) => object | undefined) | undefined };

/** The fields of each partition that are sent; undefined: nothing of it is, or the record is to them as one that is gone. */
export const REPLICATED: FieldsOf = {
  // An inactive user is unknown in decisions (spec/scim §4).
  user: ({ id, inactive, properties }) =>
    inactive === true ? undefined : { id, ...(properties !== undefined && { properties }) },
  group: ({ id }) => ({ id }),
  policy: ({ id, rev, statement }) => ({ id, rev, statement }),
  user_group: ({ id }) => ({ id }),
  user_policy: ({ id }) => ({ id }),
  group_policy: ({ id }) => ({ id }),
  resource_type: ({ managed: _managed, ...type }) => type,
  resource: ({ type, properties }) => ({ type, ...(properties !== undefined && { properties }) }),
  // Indexes the other way round, which decisions do not read.
  group_user: undefined,
  policy_holder: undefined,
  // Credentials, names at other systems, and the work of the service itself.
  meta: undefined,
  external_id: undefined,
  email: undefined,
  folded_name: undefined,
  key: undefined,
  user_key: undefined,
  key_expiry: undefined,
  principal: undefined,
  user_principal: undefined,
  claim: undefined,
  claim_expiry: undefined,
  session: undefined,
  issued: undefined,
  issued_expiry: undefined,
  password: undefined,
  provisioned: undefined,
  sweep: undefined,
  applied: undefined,
};

/** A record as it is sent; without fields it is removed. */
type ReplicaRecord =
  | readonly [partition: string, key: string, fields: object]
  | readonly [partition: string, key: string];

/** Records that follow each other, each decoded when it is asked for. */
interface ReplicaPage {
  readonly records: Iterable<ReplicaRecord>;
  /** The key of the last of them. */
  readonly last: string;
}

/** Reads the records from the store of a directory. */
export class ReplicaRecords {
  readonly partitions: readonly string[] = Object.entries(REPLICATED)
    .filter(([, fields]) => fields !== undefined)
    .map(([partition]) => partition);
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Names what the newest state is kept in, as {@link Snapshot.base}. */
  base(): Promise<string | undefined> {
    return withSnapshot(this.#store, async (snapshot) => snapshot.base);
  }

  /** Returns some records of a partition behind a key, in UTF-8 byte order, from the newest state; undefined at the end. */
  async page(partition: string, after: string | undefined): Promise<ReplicaPage | undefined> {
    const found = await withSnapshot(this.#store, (snapshot) =>
      scanSome(snapshot, partition as Partition, after === undefined ? {} : { after }),
    );
    const last = found.at(-1)?.key;
    if (last === undefined) return undefined;
    return { last, records: decoded(partition, found) };
  }

  /** Returns what an entry writes of these records; undefined where it is no longer kept, or not in the log. */
  async writes({
    revision,
    id,
  }: {
    readonly revision: number;
    readonly id: string;
  }): Promise<Iterable<ReplicaRecord> | undefined> {
    const writes = await this.#store.history.writes(revision, id);
    return writes && sentOf(writes);
  }
}

/** The records of an entry, each decoded when it is asked for: an entry may have very many. */
function* sentOf(writes: EntryWrites): Generator<ReplicaRecord> {
  for (const { partition, key, value } of writes.put)
    if (isSent({ partition })) yield recordOf(partition, key, value);
  for (const { partition, key } of writes.delete) if (isSent({ partition })) yield [partition, key];
}

/** The records of a page. */
function* decoded(partition: string, found: readonly ScannedRecord[]): Generator<ReplicaRecord> {
  for (const { key, value } of found) {
    const record = recordOf(partition, key, value);
    if (record.length === 3) yield record;
  }
}

function isSent({ partition }: Pick<RecordName, "partition">): boolean {
  return fieldsFor(partition) !== undefined;
}

function recordOf(partition: string, key: string, value: string): ReplicaRecord {
  const fields = fieldsFor(partition)!(parseJsonText(value) as never);
  return fields === undefined ? [partition, key] : [partition, key, fields];
}

function fieldsFor(partition: string): ((record: never) => object | undefined) | undefined {
  return Object.hasOwn(REPLICATED, partition) ? REPLICATED[partition as Partition] : undefined;
}
