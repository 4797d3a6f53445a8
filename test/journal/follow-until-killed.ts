/** Follows a log in PostgreSQL with a copy in a folder, and prints each revision, until it is killed. */

import { openPostgresEngine } from "../../src/journal/engines/postgres.ts";
import { openJournal } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { SETTINGS } from "./bed.ts";

const [connectionString = "", path = ""] = process.argv.slice(2);
const engine = await openPostgresEngine({
  connectionString,
  maxOpenConnections: 2,
  maxIdleConnections: 2,
  connectionMaxLifetimeMs: 300_000,
  statementTimeoutMs: 5_000,
  warn: () => {},
});
const node = await openJournal({ engine, replica: await openLocalReplica({ path }), settings: SETTINGS });
process.stdout.write(`${node.revision}\n`);
node.subscribe(({ revision }) => process.stdout.write(`${revision}\n`));
