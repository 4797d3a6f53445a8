/** Tables and partitions with other locations. */

import type { Relocate } from "./locations.ts";
import type { Partition, StorageDescriptor, Table, TableName } from "./metastore-model.ts";

/** Ending of locations that Spark SQL writes and does not use (SPARK-15269). */
const PLACEHOLDER = "-__PLACEHOLDER__";
/** Parameter of tables that Spark SQL made. */
const SPARK = "spark.sql.sources.provider";
/** Parameter of their serialization with the location that counts. */
const SPARK_PATH = "path";
const SYMLINKS = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat";

/** A change of place. */
export interface Relocation {
  readonly to: TableName;
  /** Name of the serialization. */
  readonly serde: string;
  readonly relocate: Relocate;
  /** The data is reached through files with symbolic links. */
  readonly symlinks: boolean;
  /** Puts the location that counts in place of Spark's placeholder. */
  readonly fixPlaceholder: boolean;
}

/** True for a table that Spark SQL made: its location is among the parameters. */
export function isSparkTable({ parameters }: Table): boolean {
  return parameters.has(SPARK);
}

/** The table elsewhere. */
export function movedTable(table: Table, relocation: Relocation): Table {
  const { to } = relocation;
  const storage = movedStorage(table.storage, relocation, isSparkTable(table));
  return { ...table, schema: to.schema, name: to.table, storage };
}

/** The partition elsewhere. @param spark its table is one of Spark SQL */
export function movedPartition(partition: Partition, relocation: Relocation, spark: boolean): Partition {
  const { to } = relocation;
  const storage = movedStorage(partition.storage, relocation, spark);
  return { ...partition, schema: to.schema, table: to.table, storage };
}

function movedStorage(storage: StorageDescriptor, relocation: Relocation, spark: boolean): StorageDescriptor {
  const { relocate, serde, symlinks, fixPlaceholder } = relocation;
  const isPlaceholder = spark && storage.location.endsWith(PLACEHOLDER);
  const location = storage.location === "" || isPlaceholder ? storage.location : relocate(storage.location);
  const path = spark ? storage.serde.parameters.get(SPARK_PATH) : undefined;
  const moved = path === undefined ? undefined : relocate(path);
  const parameters = new Map(storage.serde.parameters);
  if (moved !== undefined) parameters.set(SPARK_PATH, moved);
  return {
    ...storage,
    location: isPlaceholder && fixPlaceholder && moved !== undefined ? moved : location,
    serde: { ...storage.serde, name: serde, parameters },
    ...(symlinks && { inputFormat: SYMLINKS }),
  };
}
