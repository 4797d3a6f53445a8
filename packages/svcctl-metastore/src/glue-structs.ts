/** Schemas, tables and partitions as AWS Glue has them. */

import type * as glue from "@aws-sdk/client-glue";
import type { Column, Partition, Schema, StorageDescriptor, Table } from "./metastore-model.ts";

const seconds = (date: Date | undefined): number => Math.floor((date?.getTime() ?? 0) / 1000);
const dateOf = (value: number): Date | undefined => (value === 0 ? undefined : new Date(value * 1000));
const mapOf = (record: Record<string, string> | undefined): ReadonlyMap<string, string> =>
  new Map(Object.entries(record ?? {}));

export function schemaOf(from: glue.Database): Schema {
  return {
    name: from.Name ?? "",
    description: from.Description ?? "",
    location: from.LocationUri ?? "",
    parameters: mapOf(from.Parameters),
  };
}

/** Glue refuses empty locations. */
export function schemaInput({ name, description, location, parameters }: Schema): glue.DatabaseInput {
  return {
    Name: name,
    Description: description,
    ...(location !== "" && { LocationUri: location }),
    Parameters: Object.fromEntries(parameters),
  };
}

export function tableOf(from: glue.Table): Table {
  return {
    name: from.Name ?? "",
    schema: from.DatabaseName ?? "",
    owner: from.Owner ?? "",
    createTime: seconds(from.CreateTime),
    lastAccessTime: seconds(from.LastAccessTime),
    retention: from.Retention ?? 0,
    storage: storageOf(from.StorageDescriptor ?? {}),
    partitionKeys: (from.PartitionKeys ?? []).map(columnOf),
    parameters: mapOf(from.Parameters),
    viewOriginalText: from.ViewOriginalText ?? "",
    viewExpandedText: from.ViewExpandedText ?? "",
    type: from.TableType ?? "",
  };
}

export function tableInput(table: Table): glue.TableInput {
  return {
    Name: table.name,
    Owner: table.owner || undefined,
    LastAccessTime: dateOf(table.lastAccessTime),
    Retention: table.retention,
    StorageDescriptor: storageInput(table.storage),
    PartitionKeys: table.partitionKeys.map(columnInput),
    Parameters: Object.fromEntries(table.parameters),
    ViewOriginalText: table.viewOriginalText || undefined,
    ViewExpandedText: table.viewExpandedText || undefined,
    TableType: table.type || undefined,
  };
}

export function partitionOf(from: glue.Partition): Partition {
  return {
    values: from.Values ?? [],
    schema: from.DatabaseName ?? "",
    table: from.TableName ?? "",
    createTime: seconds(from.CreationTime),
    lastAccessTime: seconds(from.LastAccessTime),
    storage: storageOf(from.StorageDescriptor ?? {}),
    parameters: mapOf(from.Parameters),
  };
}

export function partitionInput(partition: Partition): glue.PartitionInput {
  return {
    Values: [...partition.values],
    LastAccessTime: dateOf(partition.lastAccessTime),
    StorageDescriptor: storageInput(partition.storage),
    Parameters: Object.fromEntries(partition.parameters),
  };
}

function storageOf(from: glue.StorageDescriptor): StorageDescriptor {
  const { SerdeInfo: serde = {} } = from;
  return {
    columns: (from.Columns ?? []).map(columnOf),
    location: from.Location ?? "",
    inputFormat: from.InputFormat ?? "",
    outputFormat: from.OutputFormat ?? "",
    compressed: from.Compressed ?? false,
    buckets: from.NumberOfBuckets ?? 0,
    serde: {
      name: serde.Name ?? "",
      library: serde.SerializationLibrary ?? "",
      parameters: mapOf(serde.Parameters),
    },
    bucketColumns: from.BucketColumns ?? [],
    sortColumns: (from.SortColumns ?? []).map(({ Column: column = "", SortOrder: order = 0 }) => ({
      column,
      order,
    })),
    parameters: mapOf(from.Parameters),
    storedAsSubDirectories: from.StoredAsSubDirectories,
  };
}

function storageInput(storage: StorageDescriptor): glue.StorageDescriptor {
  const { serde } = storage;
  return {
    Columns: storage.columns.map(columnInput),
    Location: storage.location,
    InputFormat: storage.inputFormat,
    OutputFormat: storage.outputFormat,
    Compressed: storage.compressed,
    NumberOfBuckets: storage.buckets,
    SerdeInfo: {
      Name: serde.name || undefined,
      SerializationLibrary: serde.library || undefined,
      Parameters: Object.fromEntries(serde.parameters),
    },
    BucketColumns: [...storage.bucketColumns],
    SortColumns: storage.sortColumns.map(({ column, order }) => ({ Column: column, SortOrder: order })),
    Parameters: Object.fromEntries(storage.parameters),
    ...(storage.storedAsSubDirectories !== undefined && {
      StoredAsSubDirectories: storage.storedAsSubDirectories,
    }),
  };
}

function columnOf({ Name: name = "", Type: type = "", Comment: comment = "" }: glue.Column): Column {
  return { name, type, comment };
}

function columnInput({ name, type, comment }: Column): glue.Column {
  return { Name: name, Type: type, ...(comment !== "" && { Comment: comment }) };
}
