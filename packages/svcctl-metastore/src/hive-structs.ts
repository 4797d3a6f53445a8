/** Schemas, tables and partitions as structs of a Hive metastore (hive_metastore.thrift). */

import type { Column, Partition, Schema, StorageDescriptor, Table } from "./metastore-model.ts";
import { bool, int32, list, type ReadStruct, struct, text, textMap, type Written } from "./thrift-values.ts";

/** Fields of a storage descriptor. */
const SD = {
  cols: 1,
  location: 2,
  inputFormat: 3,
  outputFormat: 4,
  compressed: 5,
  numBuckets: 6,
  serdeInfo: 7,
  bucketCols: 8,
  sortCols: 9,
  parameters: 10,
  storedAsSubDirectories: 12,
} as const;

export function schemaOf(from: ReadStruct): Schema {
  return { name: from.text(1), description: from.text(2), location: from.text(3), parameters: from.texts(4) };
}

export function schemaStruct({ name, description, location, parameters }: Schema): Written {
  return struct([
    [1, text(name)],
    [2, text(description)],
    [3, text(location)],
    [4, textMap(parameters)],
  ]);
}

export function tableOf(from: ReadStruct): Table {
  return {
    name: from.text(1),
    schema: from.text(2),
    owner: from.text(3),
    createTime: from.number(4),
    lastAccessTime: from.number(5),
    retention: from.number(6),
    storage: storageOf(from.struct(7)),
    partitionKeys: from.structs(8).map(columnOf),
    parameters: from.texts(9),
    viewOriginalText: from.text(10),
    viewExpandedText: from.text(11),
    type: from.text(12),
  };
}

export function tableStruct(table: Table): Written {
  return struct([
    [1, text(table.name)],
    [2, text(table.schema)],
    [3, text(table.owner)],
    [4, int32(table.createTime)],
    [5, int32(table.lastAccessTime)],
    [6, int32(table.retention)],
    [7, storageStruct(table.storage)],
    [8, list("struct", table.partitionKeys.map(columnStruct))],
    [9, textMap(table.parameters)],
    [10, text(table.viewOriginalText)],
    [11, text(table.viewExpandedText)],
    [12, text(table.type)],
  ]);
}

export function partitionOf(from: ReadStruct): Partition {
  return {
    values: from.list(1).map(String),
    schema: from.text(2),
    table: from.text(3),
    createTime: from.number(4),
    lastAccessTime: from.number(5),
    storage: storageOf(from.struct(6)),
    parameters: from.texts(7),
  };
}

export function partitionStruct(partition: Partition): Written {
  return struct([
    [1, list("text", partition.values.map(text))],
    [2, text(partition.schema)],
    [3, text(partition.table)],
    [4, int32(partition.createTime)],
    [5, int32(partition.lastAccessTime)],
    [6, storageStruct(partition.storage)],
    [7, textMap(partition.parameters)],
  ]);
}

function storageOf(from: ReadStruct): StorageDescriptor {
  const serde = from.struct(SD.serdeInfo);
  const nested = from.get(SD.storedAsSubDirectories);
  return {
    columns: from.structs(SD.cols).map(columnOf),
    location: from.text(SD.location),
    inputFormat: from.text(SD.inputFormat),
    outputFormat: from.text(SD.outputFormat),
    compressed: from.get(SD.compressed) === true,
    buckets: from.number(SD.numBuckets),
    serde: { name: serde.text(1), library: serde.text(2), parameters: serde.texts(3) },
    bucketColumns: from.list(SD.bucketCols).map(String),
    sortColumns: from.structs(SD.sortCols).map((one) => ({ column: one.text(1), order: one.number(2) })),
    parameters: from.texts(SD.parameters),
    storedAsSubDirectories: typeof nested === "boolean" ? nested : undefined,
  };
}

function storageStruct(storage: StorageDescriptor): Written {
  const { serde, storedAsSubDirectories: nested } = storage;
  const sorted = storage.sortColumns.map(({ column, order }) =>
    struct([
      [1, text(column)],
      [2, int32(order)],
    ]),
  );
  return struct([
    [SD.cols, list("struct", storage.columns.map(columnStruct))],
    [SD.location, text(storage.location)],
    [SD.inputFormat, text(storage.inputFormat)],
    [SD.outputFormat, text(storage.outputFormat)],
    [SD.compressed, bool(storage.compressed)],
    [SD.numBuckets, int32(storage.buckets)],
    [
      SD.serdeInfo,
      struct([
        [1, text(serde.name)],
        [2, text(serde.library)],
        [3, textMap(serde.parameters)],
      ]),
    ],
    [SD.bucketCols, list("text", storage.bucketColumns.map(text))],
    [SD.sortCols, list("struct", sorted)],
    [SD.parameters, textMap(storage.parameters)],
    [SD.storedAsSubDirectories, nested === undefined ? undefined : bool(nested)],
  ]);
}

function columnOf(from: ReadStruct): Column {
  return { name: from.text(1), type: from.text(2), comment: from.text(3) };
}

function columnStruct({ name, type, comment }: Column): Written {
  return struct([
    [1, text(name)],
    [2, text(type)],
    [3, text(comment)],
  ]);
}
