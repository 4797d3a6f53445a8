/**
 * The rows that a translated plan selects are those that `/filter` allows: random policies, names with everything that
 * SQL could misread, on SQLite, and on PostgreSQL where it is installed.
 */
import { DatabaseSync } from "node:sqlite";
import { planToDrizzle } from "@svc-authorizer/client/sql/drizzle.ts";
import { planToKysely } from "@svc-authorizer/client/sql/kysely.ts";
import { planToSql, type RowMapping } from "@svc-authorizer/client/sql/plan-to-sql.ts";
import { planToPrisma } from "@svc-authorizer/client/sql/prisma.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { sql as drizzleSql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import fc from "fast-check";
import {
  DummyDriver,
  Kysely,
  sql as kyselySql,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import pg from "pg";
import sqlTemplate, { raw } from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type PostgresCluster,
  postgresBin,
  startPostgres,
} from "../../../../test/journal/postgres-cluster.ts";
import { sized } from "../../../../test/proofs/size.ts";

const NAMES = [
  "data",
  "Data",
  "DATA",
  "data-1",
  "da%a",
  "da_a",
  "d[ab]ta",
  "dä",
  "日本",
  "a'b",
  'a"b',
  "a\\b",
  "x",
  "",
];
const OWNERS = ["alice", "ALICE", "bob", "100%", null];
const ROWS = NAMES.flatMap((name, n) =>
  OWNERS.map((owner, o) => ({ name: `${name}${n}.${o}`, owner, size: n * 10 + o })),
);
const MAPPING: RowMapping = {
  resource: ["arn:svc:fs:::repository/", { column: "name" }],
  fields: { "resource.owner": { column: "owner" }, "resource.size": { column: "size" } },
};

let authorizer: TestAuthorizer;
let sqlite: DatabaseSync;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice" }],
      resources: ROWS.map(({ name, owner, size }) => ({
        type: "repository",
        id: name,
        properties: { ...(owner !== null && { owner }), size },
      })),
    },
  });
  sqlite = new DatabaseSync(":memory:");
  sqlite.exec(
    'CREATE TABLE repository ("name" TEXT COLLATE NOCASE, "owner" TEXT COLLATE NOCASE, "size" INTEGER)',
  );
  const insert = sqlite.prepare("INSERT INTO repository VALUES (?, ?, ?)");
  for (const { name, owner, size } of ROWS) insert.run(name, owner, size);
});
afterAll(async () => {
  sqlite.close();
  await authorizer.close();
});

const namePattern = fc
  .oneof(
    fc.constantFrom(...ROWS.map(({ name }) => name)),
    fc
      .array(fc.constantFrom("d", "D", "a", "ä", "t", "%", "_", "[", "1", ".", "*", "?", "'", "\\", "-"), {
        maxLength: 6,
      })
      .map((signs) => signs.join("")),
  )
  .filter((pattern) => !/\*(?:\**\?){2}/.test(pattern));
const resource = fc.oneof(
  { weight: 6, arbitrary: namePattern.map((pattern) => `arn:svc:fs:::repository/${pattern}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "*",
      "arn:svc:fs:::*",
      "arn:svc:fs:::repo*",
      "arn:svc:fs:eu::re*y/d*",
      "arn:svc:auth:::user/*",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "arn:svc:fs:::repository/*t*",
      "arn:svc:fs:::*/*1*",
      "arn:svc:fs:::?epository/?*",
    ),
  },
);
const condition = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, Record<string, string[]>>>(
      { StringEquals: { "resource.owner": ["alice", "100%"] } },
      { StringNotEquals: { "resource.owner": ["alice"] } },
      { StringEqualsIfExists: { "resource.owner": ["bob"] } },
      { StringLike: { "resource.owner": ["a*", "?00%"] } },
      { StringNotLike: { "resource.owner": ["a*"] } },
      { Null: { "resource.owner": ["true"] } },
      { Null: { "resource.owner": ["TRUE"] } },
      { Null: { "resource.owner": ["False"] } },
      { NumericEquals: { "resource.size": ["5.20e1", "0073"] } },
      { NumericLessThan: { "resource.size": ["51"] }, StringNotEquals: { "resource.owner": ["bob"] } },
      { NumericGreaterThanEquals: { "resource.size": ["52"] } },
      { NumericNotEquals: { "resource.size": ["52"] } },
    ),
  },
);
const statement = fc.record({
  effect: fc.constantFrom("allow", "allow", "allow", "deny"),
  resource,
  condition,
});

/** Lets alice have exactly these statements. */
async function grant(
  statements: readonly { effect: string; resource: string; condition: unknown }[],
): Promise<void> {
  const name = "Granted";
  const { directory } = authorizer;
  await authorizer.reset();
  const given = statements.map((one) => ({ ...one, action: ["fs:ReadRepository"] }));
  await directory.policies.create({ name, statement: given } as never);
  await directory.users.attachPolicy("alice", name);
}

async function planAndAllowed() {
  const plan = await authorizer.client.plan({
    user: "alice",
    action: "fs:ReadRepository",
    type: "repository",
  });
  const resources = ROWS.map(({ name }) => `arn:svc:fs:::repository/${name}`);
  const allowed = await authorizer.client.filter({ user: "alice", action: "fs:ReadRepository", resources });
  return { plan, allowed: allowed.map((index) => ROWS[index]?.name).sort() };
}

const selectedBySqlite = (where: string, params: readonly unknown[]): unknown[] =>
  sqlite
    .prepare(`SELECT name FROM repository WHERE ${where}`)
    .all(...(params as string[]))
    .map(({ name }) => name)
    .sort();

describe("a translated plan", () => {
  it("selects in SQLite the rows that /filter allows, through each library", async () => {
    const kysely = new Kysely<{ repository: { name: string } }>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 5 }), async (statements) => {
        await grant(statements);
        const { plan, allowed } = await planAndAllowed();
        const { sql, params } = planToSql(plan, MAPPING, "sqlite");
        expect(selectedBySqlite(sql, params)).toEqual(allowed);

        const byKysely = kysely
          .selectFrom("repository")
          .select("name")
          .where(planToKysely<RawBuilder<boolean>>(kyselySql, plan, MAPPING, "sqlite"))
          .compile();
        expect(
          sqlite
            .prepare(byKysely.sql)
            .all(...(byKysely.parameters as string[]))
            .map(({ name }) => name)
            .sort(),
        ).toEqual(allowed);

        const byDrizzle = new SQLiteSyncDialect().sqlToQuery(
          planToDrizzle(drizzleSql, plan, MAPPING, "sqlite"),
        );
        expect(selectedBySqlite(byDrizzle.sql, byDrizzle.params)).toEqual(allowed);

        const byPrisma = planToPrisma({ sql: sqlTemplate, raw }, plan, MAPPING, "sqlite");
        expect(selectedBySqlite(byPrisma.sql, byPrisma.values)).toEqual(allowed);
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it.skipIf(postgresBin() === undefined)("selects in PostgreSQL the rows that /filter allows", async () => {
    const cluster: PostgresCluster = await startPostgres();
    const client = new pg.Client(await cluster.newDatabase());
    try {
      await client.connect();
      await client.query("CREATE TABLE repository (name text, owner varchar(50), size integer)");
      for (const { name, owner, size } of ROWS) {
        await client.query("INSERT INTO repository VALUES ($1, $2, $3)", [name, owner, size]);
      }
      await fc.assert(
        fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 5 }), async (statements) => {
          await grant(statements);
          const { plan, allowed } = await planAndAllowed();
          const { sql, params } = planToSql(plan, MAPPING, "postgres");
          const { rows } = await client.query(`SELECT name FROM repository WHERE ${sql}`, [...params]);
          expect(rows.map(({ name }) => name).sort()).toEqual(allowed);
        }),
        { numRuns: sized(50, 150) },
      );
    } finally {
      await client.end();
      await cluster.close();
    }
  });

  it("uses several columns of an ARN", async () => {
    await grant([
      { effect: "allow", resource: "arn:svc:fs:::repository/data/object/a_/*", condition: undefined },
    ]);
    const plan = await authorizer.client.plan({ user: "alice", action: "fs:ReadRepository" });
    const mapping: RowMapping = {
      resource: ["arn:svc:fs:::repository/", { column: "o.repo" }, "/object/", { column: "o.path" }],
    };
    const { sql, params } = planToSql(plan, mapping, "sqlite");
    sqlite.exec("CREATE TEMP TABLE object (repo TEXT, path TEXT)");
    for (const path of ["a_/x", "aX/x", "a_", "A_/x"]) {
      sqlite.prepare("INSERT INTO object VALUES ('data', ?)").run(path);
    }
    const rows = sqlite.prepare(`SELECT path FROM object AS o WHERE ${sql}`).all(...(params as string[]));
    expect(rows.map(({ path }) => path)).toEqual(["a_/x"]);
  });
});

describe("a plan that SQL cannot say", () => {
  const plan = { kind: "conditional", allow: [], deny: [], conditional: [] } as const;
  it.each([
    [
      "an operator",
      {
        conditional: [
          { effect: "deny", resource: "*", condition: { IpAddress: { "resource.owner": ["10.0.0.0/8"] } } },
        ],
      },
      /IpAddress/,
    ],
    [
      "a field without a column",
      {
        conditional: [
          { effect: "allow", resource: "*", condition: { StringEquals: { "resource.other": ["x"] } } },
        ],
      },
      /resource\.other.*fields/,
    ],
    ["a star before two question marks", { allow: ["arn:svc:fs:::repository/*??"] }, /filter/],
    ["a star between question marks behind a star", { deny: ["arn:svc:fs:::repository/*?*?"] }, /filter/],
    [
      "a value that is no number",
      {
        conditional: [
          { effect: "allow", resource: "*", condition: { NumericEquals: { "resource.size": ["x"] } } },
        ],
      },
      /no number/,
    ],
  ])("is refused with the reason: %s", (_, part, reason) => {
    expect(() => planToSql({ ...plan, ...part } as never, MAPPING, "sqlite")).toThrow(reason);
  });
});
