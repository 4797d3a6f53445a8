/** Copies tables from one metastore to another, or merges them into what is there. */

import { comparePartitions } from "./differences.ts";
import { type Relocate, withoutDbfs } from "./locations.ts";
import { type Metastore, schemaName, type Table, type TableName } from "./metastore-model.ts";
import { isSparkTable, movedPartition, movedTable, type Relocation } from "./relocate.ts";

/** From where, and to where. */
interface Route {
  readonly from: Metastore;
  readonly to: Metastore;
}

/**
 * Copies a table with its partitions; one that is there takes its columns and partitions.
 * @param partition values of the one partition to copy; empty for all
 * @throws Error when the table is not there
 */
export async function copyTable(
  { from, to }: Route,
  source: TableName,
  relocation: Relocation,
  partition: readonly string[] = [],
): Promise<void> {
  const table = await from.getTable(source);
  if (table === undefined) throw new Error(`table ${source.schema}.${source.table} not found`);
  if (partition.length > 0) return copyPartition({ from, to }, source, table, relocation, partition);
  const spark = isSparkTable(table);
  const partitions = (await from.getPartitions(source)).map((one) => movedPartition(one, relocation, spark));
  const moved = movedTable(table, relocation);
  const target = relocation.to;
  if ((await to.getTable(target)) === undefined) {
    await to.createTable(moved);
    return to.addPartitions(target, partitions);
  }
  const { added, removed, changed } = comparePartitions(partitions, await to.getPartitions(target));
  await to.alterTable(moved);
  await to.addPartitions(target, added);
  await to.alterPartitions(target, changed);
  for (const { values } of removed) await to.dropPartition(target, values);
}

async function copyPartition(
  { from, to }: Route,
  source: TableName,
  table: Table,
  relocation: Relocation,
  values: readonly string[],
): Promise<void> {
  const found = await from.getPartition(source, values);
  if (found === undefined) throw new Error(`partition ${values.join("-")} not found`);
  const moved = movedPartition(found, relocation, isSparkTable(table));
  const target = relocation.to;
  const isThere = (await to.getPartition(target, values)) !== undefined;
  if (isThere) await to.alterPartitions(target, [moved]);
  else await to.addPartitions(target, [moved]);
}

/**
 * Copies a schema without its tables.
 * @returns false where the schema was there already
 */
export async function copySchema(
  { from, to }: Route,
  source: string,
  target: string,
  relocate: Relocate,
): Promise<boolean> {
  const schema = await from.getSchema(source);
  if (schema === undefined) throw new Error(`failed to get database on copy from '${source}': not found`);
  const location = schema.location === "" ? "" : relocate(schema.location);
  return to.createSchema({ ...schema, name: target, location });
}

/** Options of a copy of everything that matches. */
interface CopyAll {
  readonly schemaFilter: string;
  readonly tableFilter: string;
  readonly relocate: Relocate;
  readonly fixPlaceholder: boolean;
  /** Goes on after a table that fails. */
  readonly continueOnError: boolean;
  /** Tells people something. */
  readonly say: (line: string) => void;
}

/**
 * Copies schemas and tables.
 * @returns the failures of tables, which are empty without `continueOnError`
 */
export async function copyAll(route: Route, options: CopyAll): Promise<readonly string[]> {
  const { from, to } = route;
  const failures: string[] = [];
  for (const schema of await from.getSchemas(options.schemaFilter)) {
    const target = schemaName(to.kind, schema.name);
    await copySchema(route, schema.name, target, options.relocate);
    for (const { name } of await from.getTables(schema.name, options.tableFilter)) {
      options.say(`table ${schema.name}.${name} -> ${target}.${name}\n`);
      const relocation: Relocation = {
        to: { schema: target, table: name },
        serde: name,
        relocate: options.relocate,
        symlinks: false,
        fixPlaceholder: options.fixPlaceholder,
      };
      try {
        await copyTable(route, { schema: schema.name, table: name }, relocation);
      } catch (error) {
        if (!options.continueOnError) throw error;
        failures.push(`${schema.name}.${name}: ${(error as Error).message}`);
        options.say(`${(error as Error).message}\n`);
      }
    }
  }
  return failures;
}

/** Relocates after a root was put in place of `dbfs:/`. */
export function afterDbfs(root: string, relocate: Relocate): Relocate {
  return (location) => relocate(withoutDbfs(location, root));
}
