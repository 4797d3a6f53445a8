/** The data catalog of AWS Glue. */

import * as glue from "@aws-sdk/client-glue";
import { partitionInput, partitionOf, schemaInput, schemaOf, tableInput, tableOf } from "./glue-structs.ts";
import type { Metastore, Partition, Schema, Table, TableName } from "./metastore-model.ts";

/** Partitions of one call, at most. */
const BATCH = 100;

/** Settings of calls to Glue; what is absent comes from where the AWS tools look. */
interface GlueSettings {
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly credentialsFile: string | undefined;
  readonly credentials: glue.GlueClientConfig["credentials"] | undefined;
  /** Account of the catalog; absent for that of the caller. */
  readonly catalogId: string | undefined;
  /** Address in place of the public one. */
  readonly endpoint: string | undefined;
}

/** Opens a client. */
export async function openGlue(settings: GlueSettings): Promise<Metastore> {
  const { region, profile, credentialsFile, credentials, endpoint, catalogId } = settings;
  const client = new glue.GlueClient({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
    ...(credentialsFile !== undefined &&
      credentials === undefined && { credentials: await fileCredentials(credentialsFile, profile) }),
  });
  return new GlueMetastore(client, catalogId);
}

async function fileCredentials(
  filepath: string,
  profile: string | undefined,
): Promise<NonNullable<glue.GlueClientConfig["credentials"]>> {
  const { fromIni } = await import("@aws-sdk/credential-provider-ini");
  return fromIni({ filepath, ...(profile !== undefined && { profile }) });
}

class GlueMetastore implements Metastore {
  readonly kind = "glue";
  readonly #client: glue.GlueClient;
  readonly #catalog: { readonly CatalogId?: string };

  constructor(client: glue.GlueClient, catalogId: string | undefined) {
    this.#client = client;
    this.#catalog = catalogId === undefined ? {} : { CatalogId: catalogId };
  }

  async getSchema(Name: string): Promise<Schema | undefined> {
    const call = this.#client.send(new glue.GetDatabaseCommand({ ...this.#catalog, Name }));
    const { Database: found } = (await unlessMissing(call)) ?? {};
    return found === undefined ? undefined : schemaOf(found);
  }

  async getSchemas(pattern: string): Promise<readonly Schema[]> {
    const wanted = new RegExp(pattern, "u");
    const pages = glue.paginateGetDatabases({ client: this.#client }, this.#catalog);
    const found: Schema[] = [];
    for await (const { DatabaseList: list = [] } of pages) found.push(...list.map(schemaOf));
    return found.filter(({ name }) => wanted.test(name));
  }

  async createSchema(schema: Schema): Promise<boolean> {
    try {
      const input = { ...this.#catalog, DatabaseInput: schemaInput(schema) };
      await this.#client.send(new glue.CreateDatabaseCommand(input));
      return true;
    } catch (error) {
      if (error instanceof glue.AlreadyExistsException) return false;
      throw error;
    }
  }

  async getTable({ schema, table }: TableName): Promise<Table | undefined> {
    const input = { ...this.#catalog, DatabaseName: schema, Name: table };
    const { Table: found } = (await unlessMissing(this.#client.send(new glue.GetTableCommand(input)))) ?? {};
    return found === undefined ? undefined : tableOf(found);
  }

  async getTables(schema: string, pattern: string): Promise<readonly Table[]> {
    const input = { ...this.#catalog, DatabaseName: schema, Expression: pattern };
    const found: Table[] = [];
    for await (const { TableList: list = [] } of glue.paginateGetTables({ client: this.#client }, input)) {
      found.push(...list.map(tableOf));
    }
    return found;
  }

  async createTable(table: Table): Promise<void> {
    const input = { ...this.#catalog, DatabaseName: table.schema, TableInput: tableInput(table) };
    await this.#client.send(new glue.CreateTableCommand(input));
  }

  async alterTable(table: Table): Promise<void> {
    const input = { ...this.#catalog, DatabaseName: table.schema, TableInput: tableInput(table) };
    await this.#client.send(new glue.UpdateTableCommand(input));
  }

  async getPartition(name: TableName, values: readonly string[]): Promise<Partition | undefined> {
    const input = { ...this.#named(name), PartitionValues: [...values] };
    const { Partition: found } =
      (await unlessMissing(this.#client.send(new glue.GetPartitionCommand(input)))) ?? {};
    return found === undefined ? undefined : partitionOf(found);
  }

  async getPartitions(name: TableName): Promise<readonly Partition[]> {
    const found: Partition[] = [];
    const pages = glue.paginateGetPartitions({ client: this.#client }, this.#named(name));
    for await (const { Partitions: list = [] } of pages) found.push(...list.map(partitionOf));
    return found;
  }

  async addPartitions(name: TableName, partitions: readonly Partition[]): Promise<void> {
    for (let at = 0; at < partitions.length; at += BATCH) {
      const PartitionInputList = partitions.slice(at, at + BATCH).map(partitionInput);
      const input = { ...this.#named(name), PartitionInputList };
      failOn((await this.#client.send(new glue.BatchCreatePartitionCommand(input))).Errors);
    }
  }

  async alterPartitions(name: TableName, partitions: readonly Partition[]): Promise<void> {
    for (let at = 0; at < partitions.length; at += BATCH) {
      const Entries = partitions
        .slice(at, at + BATCH)
        .map((one) => ({ PartitionValueList: [...one.values], PartitionInput: partitionInput(one) }));
      const input = { ...this.#named(name), Entries };
      failOn((await this.#client.send(new glue.BatchUpdatePartitionCommand(input))).Errors);
    }
  }

  async dropPartition(name: TableName, values: readonly string[]): Promise<void> {
    const input = { ...this.#named(name), PartitionValues: [...values] };
    await this.#client.send(new glue.DeletePartitionCommand(input));
  }

  close(): void {
    this.#client.destroy();
  }

  #named({ schema, table }: TableName): { CatalogId?: string; DatabaseName: string; TableName: string } {
    return { ...this.#catalog, DatabaseName: schema, TableName: table };
  }
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof glue.EntityNotFoundException) return undefined;
    throw error;
  }
}

/** A call for many partitions succeeds although some of them failed. */
function failOn(errors: readonly (glue.PartitionError | glue.BatchUpdatePartitionFailureEntry)[] = []): void {
  const lines = errors.map((error) => {
    const name = "PartitionValues" in error ? error.PartitionValues : undefined;
    return `partition ${(name ?? []).join("-")}: ${error.ErrorDetail?.ErrorMessage ?? ""}`;
  });
  if (lines.length > 0) throw new Error(lines.join("\n"));
}
