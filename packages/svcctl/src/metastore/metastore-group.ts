/** `svcctl metastore`, as data. What its commands do is in a package of its own, because of its libraries. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandRun, GroupSpec } from "../command.ts";

const option = (flags: string, description: string, more: Partial<OptionSpec> = {}): OptionSpec => ({
  flags,
  description,
  ...more,
});
const REQUIRED = { required: true } as const;
const TYPE = { values: ["hive", "glue"] };

const FROM_TYPE = option("--from-client-type <string>", "kind of the source metastore: hive or glue", TYPE);
const TO_TYPE = option("--to-client-type <string>", "kind of the destination metastore: hive or glue", TYPE);
const FROM_SCHEMA = option("--from-schema <string>", "schema of the source", REQUIRED);
const FROM_TABLE = option("--from-table <string>", "table of the source", REQUIRED);
const TO_TABLE = option("--to-table <string>", "table of the destination (default: from-table)");
const TO_BRANCH = option("--to-branch <string>", "branch that the destination points to", REQUIRED);
const FROM_ADDRESS = option("--from-address <string>", "address of the source metastore");
const HIVE_URI = option("--metastore-uri <string>", "address of the Hive metastore");
const CATALOG = option("--catalog-id <string>", "catalog id of Glue");
const DBFS = option("--dbfs-root <string>", "root that stands for dbfs:/ in locations");
const BRANCH = option("--branch <string>", "name of a branch", REQUIRED);
const REPO = option("--repo <string>", "name of a repository", REQUIRED);
const ALL: readonly OptionSpec[] = [
  BRANCH,
  option("--continue-on-error", "go on after a table that fails"),
  DBFS,
  FROM_ADDRESS,
  FROM_TYPE,
  option("--schema-filter <string>", "pattern of the schemas, in the form of the metastore", {
    default: ".*",
  }),
  option("--table-filter <string>", "pattern of the tables, in the form of the metastore", { default: ".*" }),
  option("--to-address <string>", "address of the destination metastore", REQUIRED),
  TO_TYPE,
];

const HIVES = "--from-client-type hive --from-address old:9083 --to-client-type hive --to-address new:9083";

/** Loads a command where the package is installed; otherwise says how it is installed. */
function ofPackage(load: () => Promise<CommandRun>): () => Promise<CommandRun> {
  return async () => {
    const { assertInstalled } = await import("@svc-authorizer/commands/optional-packages.ts");
    assertInstalled("svcctl metastore", ["@svc-authorizer/svcctl-metastore"]);
    return load();
  };
}

/** Tables of Hive and Glue that point to branches. */
export const METASTORE_GROUP: GroupSpec = {
  name: "metastore",
  description: "Copies and compares tables of Hive metastores and AWS Glue.",
  commands: [
    {
      name: "copy",
      description: "Copies a table or merges it into one; the destination points to the branch.",
      examples: ["--from-schema default --from-table events --to-branch dev"],
      options: [
        CATALOG,
        DBFS,
        FROM_TYPE,
        FROM_SCHEMA,
        FROM_TABLE,
        HIVE_URI,
        option("-p, --partition <strings>", "values of the partition to copy", { kind: "list" }),
        option("--serde <string>", "name of the serialization (default: to-table)"),
        TO_BRANCH,
        TO_TYPE,
        option("--to-schema <string>", "schema of the destination (default: the branch)"),
        TO_TABLE,
        JSON_OUTPUT,
      ],
      load: ofPackage(async () => (await import("@svc-authorizer/svcctl-metastore/copy.ts")).copy),
    },
    {
      name: "copy-all",
      description: "Copies the tables of one metastore to another; the destinations point to the branch.",
      examples: [`${HIVES} --branch dev`],
      options: ALL,
      load: ofPackage(
        async () => (await import("@svc-authorizer/svcctl-metastore/copy-all.ts")).copyEverything,
      ),
    },
    {
      name: "copy-schema",
      description: "Copies a schema without its tables; the destination points to the branch.",
      examples: ["--from-schema default --to-branch dev"],
      options: [
        CATALOG,
        DBFS,
        FROM_TYPE,
        FROM_SCHEMA,
        HIVE_URI,
        TO_BRANCH,
        TO_TYPE,
        option("--to-schema <string>", "schema of the destination (default: the branch)"),
        JSON_OUTPUT,
      ],
      load: ofPackage(async () => (await import("@svc-authorizer/svcctl-metastore/copy.ts")).copyOneSchema),
    },
    {
      name: "create-symlink",
      description:
        "Writes symbolic links to the objects of a table into the store, and a Glue table that reads them.",
      examples: [
        "--repo example-repo --branch main --path tables/events --from-schema default --from-table events --to-schema links --to-table events",
      ],
      options: [
        BRANCH,
        CATALOG,
        FROM_TYPE,
        FROM_SCHEMA,
        FROM_TABLE,
        option("--path <string>", "path of the table in the repository", REQUIRED),
        REPO,
        option("--to-schema <string>", "schema of the destination", REQUIRED),
        option("--to-table <string>", "table of the destination", REQUIRED),
        JSON_OUTPUT,
      ],
      load: ofPackage(
        async () => (await import("@svc-authorizer/svcctl-metastore/create-symlink.ts")).createSymlink,
      ),
    },
    {
      name: "diff",
      description: "Shows the differences of the columns and partitions of two tables.",
      examples: ["--from-schema default --from-table events --to-schema dev"],
      options: [
        CATALOG,
        FROM_ADDRESS,
        FROM_TYPE,
        FROM_SCHEMA,
        FROM_TABLE,
        HIVE_URI,
        option("--to-address <string>", "address of the destination metastore"),
        TO_TYPE,
        option("--to-schema <string>", "schema of the destination (default: from-schema)"),
        TO_TABLE,
        JSON_OUTPUT,
      ],
      load: ofPackage(
        async () => (await import("@svc-authorizer/svcctl-metastore/diff-tables.ts")).diffTables,
      ),
    },
    {
      name: "import-all",
      description: "Copies external tables to another metastore; the destinations point to a repository.",
      helpLines: () => ["A location s3://bucket/path/to/table becomes s3://REPO/BRANCH/path/to/table."],
      examples: [`${HIVES} --repo example-repo --branch main`],
      options: [...ALL, REPO],
      load: ofPackage(
        async () => (await import("@svc-authorizer/svcctl-metastore/copy-all.ts")).importEverything,
      ),
    },
  ],
};
