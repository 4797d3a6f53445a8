/** `svcctl metastore` with Glue's interface (AWS JSON 1.1) on both sides. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { svcctl } from "../../svcctl/test/run-svcctl.ts";

interface Asked {
  readonly TableName?: string;
  readonly PartitionInputList?: readonly { readonly Values: readonly string[] }[];
  readonly PartitionValues?: readonly string[];
}

/** A catalog with tables of the given partitions; what is changed is kept as it was asked for. */
async function openCatalog(partitions: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const changes: [string, unknown][] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).replace("AWSGlue.", "");
    const asked = (await json(request)) as Asked & { readonly Name?: string; readonly DatabaseName: string };
    const storage = { Location: "s3://repo/main/t", Columns: [{ Name: "c", Type: "int" }] };
    const answers: Record<string, () => object> = {
      GetTable: () => ({
        Table: { Name: asked.Name, DatabaseName: asked.DatabaseName, StorageDescriptor: storage },
      }),
      GetPartitions: () => ({
        Partitions: partitions[asked.TableName ?? ""]?.map((Values) => ({
          Values,
          DatabaseName: asked.DatabaseName,
          TableName: asked.TableName,
          StorageDescriptor: storage,
        })),
      }),
    };
    if (operation === "BatchCreatePartition")
      changes.push([operation, asked.PartitionInputList?.map(({ Values }) => Values)]);
    if (operation === "DeletePartition") changes.push([operation, asked.PartitionValues]);
    response.setHeader("Content-Type", "application/x-amz-json-1.1");
    response.end(JSON.stringify(answers[operation]?.() ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    SVCCTL_METASTORE_TYPE: "glue",
    SVCCTL_METASTORE_GLUE_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    SVCCTL_METASTORE_GLUE_REGION: "us-east-1",
    SVCCTL_METASTORE_GLUE_CREDENTIALS_ACCESS_KEY_ID: "KEY",
    SVCCTL_METASTORE_GLUE_CREDENTIALS_ACCESS_SECRET_KEY: "SECRET",
  };
  return { env, changes };
}

const SOURCE = ["--from-schema", "s", "--from-table", "source"];
const TARGET = ["--to-schema", "s", "--to-table", "target"];
/** Values of two different partitions, which one text of them does not tell apart. */
const SAME_TEXT = { source: [["2026-01", "02"]], target: [["2026", "01-02"]] };

it("partitions whose values are other ones are told apart", async () => {
  const { env } = await openCatalog(SAME_TEXT);
  const { code, stdout, stderr } = await svcctl(["metastore", "diff", ...SOURCE, ...TARGET], { env });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Partitions\n+ 2026-01-02\n- 2026-01-02\n");
});

it("and a copy makes the one and takes the other away", async () => {
  const { env, changes } = await openCatalog(SAME_TEXT);
  const copy = ["metastore", "copy", ...SOURCE, ...TARGET, "--to-branch", "dev"];
  const { code, stderr } = await svcctl(copy, { env });
  expect([code, stderr]).toEqual([0, ""]);
  expect(changes).toEqual([
    ["BatchCreatePartition", SAME_TEXT.source],
    ["DeletePartition", SAME_TEXT.target[0]],
  ]);
});
