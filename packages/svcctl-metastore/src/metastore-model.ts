/** Schemas, tables and partitions of a metastore, whichever kind it is. */

/** A column. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

/** The serialization of values. */
interface SerDe {
  readonly name: string;
  readonly library: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Place and form of the data of a table or a partition. */
export interface StorageDescriptor {
  readonly columns: readonly Column[];
  readonly location: string;
  readonly inputFormat: string;
  readonly outputFormat: string;
  readonly compressed: boolean;
  readonly buckets: number;
  readonly serde: SerDe;
  readonly bucketColumns: readonly string[];
  readonly sortColumns: readonly { readonly column: string; readonly order: number }[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly storedAsSubDirectories: boolean | undefined;
}

/** A table. */
export interface Table {
  readonly name: string;
  readonly schema: string;
  readonly owner: string;
  /** Seconds since 1970. */
  readonly createTime: number;
  readonly lastAccessTime: number;
  readonly retention: number;
  readonly storage: StorageDescriptor;
  readonly partitionKeys: readonly Column[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly viewOriginalText: string;
  readonly viewExpandedText: string;
  readonly type: string;
}

/** A part of a table that one value for each partition key names. */
export interface Partition {
  readonly values: readonly string[];
  readonly schema: string;
  readonly table: string;
  readonly createTime: number;
  readonly lastAccessTime: number;
  readonly storage: StorageDescriptor;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A schema, which Hive and Glue call a database. */
export interface Schema {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Identifies a table. */
export interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** Calls of a metastore. Reads give undefined for what is not there; other failures are errors. */
export interface Metastore {
  readonly kind: "hive" | "glue";
  getSchema(name: string): Promise<Schema | undefined>;
  /** Names that match a pattern of the metastore. */
  getSchemas(pattern: string): Promise<readonly Schema[]>;
  /** Returns false where a schema of that name is there already. */
  createSchema(schema: Schema): Promise<boolean>;
  getTable(name: TableName): Promise<Table | undefined>;
  getTables(schema: string, pattern: string): Promise<readonly Table[]>;
  createTable(table: Table): Promise<void>;
  alterTable(table: Table): Promise<void>;
  getPartition(name: TableName, values: readonly string[]): Promise<Partition | undefined>;
  getPartitions(name: TableName): Promise<readonly Partition[]>;
  addPartitions(name: TableName, partitions: readonly Partition[]): Promise<void>;
  alterPartitions(name: TableName, partitions: readonly Partition[]): Promise<void>;
  /** Forgets a partition; its data stays. */
  dropPartition(name: TableName, values: readonly string[]): Promise<void>;
  close(): void;
}

/** The name of a schema that every metastore of a kind accepts. */
export function schemaName(kind: Metastore["kind"], name: string): string {
  return kind === "hive" ? name.replaceAll("-", "_") : name;
}
