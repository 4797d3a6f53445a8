/** A Hive metastore. */

import {
  partitionOf,
  partitionStruct,
  schemaOf,
  schemaStruct,
  tableOf,
  tableStruct,
} from "./hive-structs.ts";
import type { Metastore, Partition, Schema, Table, TableName } from "./metastore-model.ts";
import { ThriftConnection } from "./thrift-connection.ts";
import { bool, int16, list, ReadStruct, struct, text, type Written } from "./thrift-values.ts";

/** As many partitions as there are. */
const ALL = -1;

/** Opens a connection. @param address `host:port` */
export async function openHive(address: string): Promise<Metastore> {
  return new HiveMetastore(await ThriftConnection.open(address));
}

class HiveMetastore implements Metastore {
  readonly kind = "hive";
  readonly #connection: ThriftConnection;

  constructor(connection: ThriftConnection) {
    this.#connection = connection;
  }

  async getSchema(name: string): Promise<Schema | undefined> {
    const found = await this.#struct("get_database", [text(name)], 1);
    return found === undefined ? undefined : schemaOf(found);
  }

  async getSchemas(pattern: string): Promise<readonly Schema[]> {
    const names = (await this.#call("get_databases", [text(pattern)])).list(0).map(String);
    return this.#each(names, (name) => this.getSchema(name));
  }

  async createSchema(schema: Schema): Promise<boolean> {
    return (await this.#struct("create_database", [schemaStruct(schema)], 1, true)) !== undefined;
  }

  async getTable({ schema, table }: TableName): Promise<Table | undefined> {
    const found = await this.#struct("get_table", [text(schema), text(table)], 2);
    return found === undefined ? undefined : tableOf(found);
  }

  async getTables(schema: string, pattern: string): Promise<readonly Table[]> {
    const names = (await this.#call("get_tables", [text(schema), text(pattern)])).list(0).map(String);
    return this.#each(names, (table) => this.getTable({ schema, table }));
  }

  async createTable(table: Table): Promise<void> {
    await this.#call("create_table", [tableStruct(table)]);
  }

  async alterTable(table: Table): Promise<void> {
    await this.#call("alter_table", [text(table.schema), text(table.name), tableStruct(table)]);
  }

  async getPartition(
    { schema, table }: TableName,
    values: readonly string[],
  ): Promise<Partition | undefined> {
    const found = await this.#struct("get_partition", [text(schema), text(table), texts(values)], 2);
    return found === undefined ? undefined : partitionOf(found);
  }

  async getPartitions({ schema, table }: TableName): Promise<readonly Partition[]> {
    const result = await this.#call("get_partitions", [text(schema), text(table), int16(ALL)]);
    return result.structs(0).map(partitionOf);
  }

  async addPartitions(_: TableName, partitions: readonly Partition[]): Promise<void> {
    if (partitions.length === 0) return;
    await this.#call("add_partitions", [list("struct", partitions.map(partitionStruct))]);
  }

  async alterPartitions({ schema, table }: TableName, partitions: readonly Partition[]): Promise<void> {
    if (partitions.length === 0) return;
    const changed = list("struct", partitions.map(partitionStruct));
    await this.#call("alter_partitions", [text(schema), text(table), changed]);
  }

  async dropPartition({ schema, table }: TableName, values: readonly string[]): Promise<void> {
    await this.#call("drop_partition", [text(schema), text(table), texts(values), bool(false)]);
  }

  close(): void {
    this.#connection.close();
  }

  /**
   * The struct that a call gives.
   * @param expected number of the exception that is an answer too: then undefined
   * @param empty the call gives nothing when it succeeds
   */
  async #struct(
    name: string,
    args: readonly Written[],
    expected: number,
    empty = false,
  ): Promise<ReadStruct | undefined> {
    const result = await this.#call(name, args, expected);
    const success = result.get(0);
    if (success instanceof ReadStruct) return success;
    return empty && result.get(expected) === undefined ? result : undefined;
  }

  async #call(name: string, args: readonly Written[], expected?: number): Promise<ReadStruct> {
    const fields = args.map((value, index) => [index + 1, value] as const);
    const result = await this.#connection.call(name, struct(fields));
    for (let number = 1; number < 8; number += 1) {
      const exception = result.get(number);
      if (number === expected || !(exception instanceof ReadStruct)) continue;
      throw new Error(`${name}: ${exception.text(1)}`);
    }
    return result;
  }

  async #each<T>(
    names: readonly string[],
    get: (name: string) => Promise<T | undefined>,
  ): Promise<readonly T[]> {
    const found: T[] = [];
    for (const name of names) {
      const one = await get(name);
      // It may have gone since its name was listed.
      if (one !== undefined) found.push(one);
    }
    return found;
  }
}

function texts(values: readonly string[]): Written {
  return list("text", values.map(text));
}
