/**
 * The rows that a translated plan selects are those that `/filter` allows, also with variables and escapes in the values
 * of conditions, with patterns that SQL matches otherwise, and with numbers in columns of every kind.
 */
import { DatabaseSync } from "node:sqlite";
import {
  planToSql,
  type RowMapping,
  UntranslatablePlanError,
} from "@svc-authorizer/client/sql/plan-to-sql.ts";
import { planToPrisma } from "@svc-authorizer/client/sql/prisma.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import pg from "pg";
import sqlTemplate, { raw } from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type PostgresCluster,
  postgresBin,
  startPostgres,
} from "../../../../test/journal/postgres-cluster.ts";

type Condition = Record<string, Record<string, string[]>>;
type Value = number | string | null;

const TEAM = "a*b?$c";
/** Owner (a text), and a size that is a number or a text. */
const VALUES: readonly (readonly [owner: Value, size: Value])[] = [
  ["alice", 5],
  ["alic", 50],
  ["axb?$c", 100],
  [TEAM, 9.5],
  [`${TEAM}1`, -3],
  ["a${*}b${?}${$}c", "5"],
  ["${user}", "50"],
  ["100$", "100"],
  ["日", "007"],
  ["é", "5.0"],
  ["日本", "1e1"],
  ["", "-3"],
  [null, null],
  ["a", "ten"],
  ["b", ""],
  ["c", " 5"],
  ["d", "0x5"],
  ["e", "5 "],
  ["f", "NaN"],
  ["g", "Infinity"],
  ["h", "9007199254740993"],
  ["i", "9007199254740991"],
  ["j", "1e300"],
  ["k", "+5"],
  ["l", ".5"],
  ["m", "5."],
  ["n", "-"],
  ["o", "5e"],
  ["p", "0005.50"],
];
const ROWS = VALUES.map(([owner, size], index) => ({ name: `row${index}`, owner, size }));
const MAPPING: RowMapping = {
  resource: ["arn:svc:fs:::repository/", { column: "name" }],
  fields: { "resource.owner": { column: "owner" }, "resource.size": { column: "size" } },
};

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of conditions */
const CONDITIONS: readonly Condition[] = [
  { StringEquals: { "resource.owner": ["${user}"] } },
  { StringNotEquals: { "resource.owner": ["${user}"] } },
  { StringEquals: { "resource.owner": ["${subject.team}"] } },
  { StringNotEquals: { "resource.owner": ["${subject.team}"] } },
  { StringEqualsIfExists: { "resource.owner": ["${subject.team}1", "100${$}"] } },
  { StringEquals: { "resource.owner": ["100${$}", "b"] } },
  { StringNotEquals: { "resource.owner": ["100${$}", "a${*}b${?}${$}c"] } },
  { StringLikeIfExists: { "resource.owner": ["${subject.team}*"] } },
  { StringNotLikeIfExists: { "resource.owner": ["${subject.team}?", "a${*}*"] } },
  { StringLike: { "resource.owner": ["${user}"] } },
  { StringNotLike: { "resource.owner": ["a${*}*"] } },
  { StringLike: { "resource.owner": ["?"] } },
  { NumericEquals: { "resource.size": ["5"] } },
  { NumericNotEquals: { "resource.size": ["5"] } },
  { NumericEqualsIfExists: { "resource.size": ["5.50", "10"] } },
  { NumericLessThan: { "resource.size": ["50"] } },
  { NumericGreaterThan: { "resource.size": ["9.75"] } },
  { NumericGreaterThanEquals: { "resource.size": ["-3"] }, StringNotEquals: { "resource.owner": ["alice"] } },
];
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of conditions */

const ACTION = "fs:ReadRepository";
const RESOURCE = "arn:svc:fs:::repository/*";
const question = { user: "alice", action: ACTION };

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice", properties: { team: TEAM } }],
      resources: ROWS.map(({ name, owner, size }) => ({
        type: "repository",
        id: name,
        properties: { ...(owner !== null && { owner }), ...(size !== null && { size }) },
      })),
    },
  });
});
afterAll(() => authorizer.close());

async function grant(effect: "allow" | "deny", condition: Condition): Promise<void> {
  await authorizer.reset();
  const statement = [
    { effect, action: [ACTION], resource: RESOURCE, condition },
    ...(effect === "deny" ? [{ effect: "allow", action: [ACTION], resource: RESOURCE }] : []),
  ];
  await authorizer.directory.policies.create({ name: "Granted", statement } as never);
  await authorizer.directory.users.attachPolicy("alice", "Granted");
}

async function allowed(): Promise<string[]> {
  const resources = ROWS.map(({ name }) => `arn:svc:fs:::repository/${name}`);
  const indexes = await authorizer.client.filter({ ...question, resources });
  return indexes.map((index) => (ROWS[index] as { name: string }).name).sort();
}

const CASES = CONDITIONS.flatMap((condition) =>
  (["allow", "deny"] as const).map((effect) => [effect, JSON.stringify(condition), condition] as const),
);

describe("in SQLite", () => {
  let sqlite: DatabaseSync;
  beforeAll(() => {
    sqlite = new DatabaseSync(":memory:");
    // Without a type the column keeps numbers as numbers and texts as texts.
    sqlite.exec("CREATE TABLE repository (name TEXT, owner TEXT, size)");
    const insert = sqlite.prepare("INSERT INTO repository VALUES (?, ?, ?)");
    for (const { name, owner, size } of ROWS) insert.run(name, owner, size);
  });
  afterAll(() => sqlite.close());

  it.each(CASES)("%s if %s selects the rows that /filter allows", async (effect, _, condition) => {
    await grant(effect, condition);
    const { sql, params } = planToSql(await authorizer.client.plan(question), MAPPING, "sqlite");
    const rows = sqlite.prepare(`SELECT name FROM repository WHERE ${sql}`).all(...(params as string[]));
    expect(rows.map(({ name }) => name).sort()).toEqual(await allowed());
  });
});

describe("a column that is not there", () => {
  it("is an error also where SQLite takes a name in double quotes for a text", async () => {
    await grant("allow", { StringNotEquals: { "resource.owner": ["alice"] } });
    const plan = await authorizer.client.plan(question);
    const sqlite = new DatabaseSync(":memory:", { enableDoubleQuotedStringLiterals: true });
    sqlite.exec('CREATE TABLE repository (name TEXT, "ow`ner" TEXT)');
    sqlite.exec("INSERT INTO repository VALUES ('row1', 'alice'), ('row2', 'bob')");
    const select = (owner: string, condition: typeof planToSql) => {
      const { sql, params } = condition(
        plan,
        { ...MAPPING, fields: { "resource.owner": { column: owner } } },
        "sqlite",
      );
      return sqlite.prepare(`SELECT name FROM repository WHERE ${sql}`).all(...(params as string[]));
    };
    const byPrisma: typeof planToSql = (...given) => {
      const { sql, values } = planToPrisma({ sql: sqlTemplate, raw }, ...given);
      return { sql, params: values };
    };
    for (const condition of [planToSql, byPrisma]) {
      expect(() => select("owner", condition)).toThrow("no such column");
      for (const name of ["ow`ner", "repository.ow`ner"])
        expect(select(name, condition)).toEqual([{ name: "row2" }]);
    }
  });
});

describe.skipIf(postgresBin() === undefined)("in PostgreSQL", () => {
  let cluster: PostgresCluster;
  let client: pg.Client;
  beforeAll(async () => {
    cluster = await startPostgres();
    client = new pg.Client(await cluster.newDatabase());
    await client.connect();
    await client.query("CREATE TABLE repository (name text, owner text, size text)");
    for (const { name, owner, size } of ROWS) {
      await client.query("INSERT INTO repository VALUES ($1, $2, $3)", [name, owner, size]);
    }
  });
  afterAll(async () => {
    await client?.end();
    await cluster?.close();
  });

  it.each(CASES)("%s if %s selects the rows that /filter allows", async (effect, _, condition) => {
    await grant(effect, condition);
    const { sql, params } = planToSql(await authorizer.client.plan(question), MAPPING, "postgres");
    const { rows } = await client.query(`SELECT name FROM repository WHERE ${sql}`, [...params]);
    expect(rows.map(({ name }) => name).sort()).toEqual(await allowed());
  });

  it.each(["integer", "bigint", "numeric(12, 3)", "double precision", "real"])(
    "compares a column of type %s with a fraction",
    async (type) => {
      await client.query(`CREATE TEMP TABLE sizes (name text, size ${type})`);
      try {
        await client.query("INSERT INTO sizes VALUES ('row1', 5), ('row2', 6)");
        await grant("allow", { NumericLessThan: { "resource.size": ["5.5"] } });
        const { sql, params } = planToSql(await authorizer.client.plan(question), MAPPING, "postgres");
        const { rows } = await client.query(`SELECT name FROM sizes WHERE ${sql}`, [...params]);
        expect(rows).toEqual([{ name: "row1" }]);
      } finally {
        await client.query("DROP TABLE sizes");
      }
    },
  );
});

describe("what SQL cannot say is refused", () => {
  it.each<[string, Condition]>([
    ["a variable that is a column", { StringNotEquals: { "resource.owner": ["${resource.maker}"] } }],
    ["a star before two question marks", { StringLike: { "resource.owner": ["*??"] } }],
    ["stars between question marks", { StringLike: { "resource.owner": ["*?*?"] } }],
    ["the same beside a literal", { StringNotLikeIfExists: { "resource.owner": ["x**??"] } }],
  ])("%s", async (_, condition) => {
    await grant("deny", condition);
    const plan = await authorizer.client.plan(question);
    for (const dialect of ["sqlite", "postgres"] as const) {
      expect(() => planToSql(plan, MAPPING, dialect)).toThrow(UntranslatablePlanError);
    }
  });
});
