/** The progress of a mirror with very many branches is larger than an item of DynamoDB may be, and is kept all the same. */
import { describe, expect, it } from "vitest";
import { openDynamodbEngine } from "../../src/journal/engines/dynamodb.ts";
import { Progress } from "../../src/mirroring/progress/progress.ts";
import { openedOnce } from "../opened.ts";
import { openNode } from "./bed.ts";
import { hasDynamodbLocal, startDynamodbLocal } from "./dynamodb-local.ts";

const BRANCHES = 5_000;

describe.skipIf(!hasDynamodbLocal())("on DynamoDB Local, the progress of a mirror", () => {
  const server = openedOnce(() => startDynamodbLocal());

  const open = async () =>
    openNode(
      await openDynamodbEngine({
        tableName: "mirrors",
        scanLimit: 1_000,
        endpoint: server.endpoint,
        region: "us-east-1",
        credentials: { accessKeyId: "key", secretAccessKey: "secret" },
        maxAttempts: 3,
        maxConnections: 10,
        requestTimeoutMs: 20_000,
        healthCheckMs: 0,
        warn: () => {},
      }),
    );

  it("with 5,000 branches is saved, goes on from there, and is read by another node", async () => {
    const first = await open();
    const progress = await Progress.load(first, "uid");
    const head = (at: number) => ({ index: at, commit: `${at}`.padStart(64, "a"), at: 1_700_000_000_000 });
    const branches = Object.fromEntries(
      Array.from({ length: BRANCHES }, (_, at) => [
        `branch-${at}`,
        { next: at + 1, heads: [head(at)], position: head(at) },
      ]),
    );
    progress.state = { ...progress.state, branches };
    expect(JSON.stringify(progress.state).length).toBeGreaterThan(1_000_000);
    await progress.save([]);
    progress.state = { ...progress.state, external: 7 };
    await progress.save([]);
    await first.close();
    const second = await open();
    const read = await Progress.load(second, "uid");
    expect(read.state.external).toBe(7);
    expect(Object.keys(read.state.branches).length).toBe(BRANCHES);
    await second.close();
  });
});
