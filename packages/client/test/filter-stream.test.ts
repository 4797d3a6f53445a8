/** A filter whose items are sent while the answer comes. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

const QUESTION = { user: "viewer", action: "fs:ReadObject" };

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      policies: [
        {
          name: "Even",
          statement: [
            { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/even/*" },
          ],
        },
      ],
      users: [{ username: "viewer", policies: ["Even"] }],
    },
  });
});
afterAll(() => authorizer.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server in place of the service. */
async function serverThat(answer: Parameters<typeof createServer>[1]): Promise<AuthorizerClient> {
  const server = createServer(answer as never);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new AuthorizerClient({ url, token: "t", timeout: 300 });
}

const arn = (n: number): string => `arn:svc:fs:::repository/${n % 2 === 0 ? "even" : "odd"}/object/${n}`;
function* arns(count: number): Generator<string> {
  for (let n = 0; n < count; n++) yield arn(n);
}
const collect = (indexes: AsyncIterable<number>): Promise<number[]> => Array.fromAsync(indexes);

it("answers as the other calls do, for no item and for many", async () => {
  expect(await collect(authorizer.client.filterStream(QUESTION, []))).toEqual([]);
  const resources = [...arns(1_001)];
  const streamed = await collect(authorizer.client.filterStream(QUESTION, resources));
  expect(streamed).toEqual(await authorizer.client.filter({ ...QUESTION, resources }));
  expect(streamed).toHaveLength(501);
});

it("sends on while answers come: a caller can name the next item after he has the last answer", async () => {
  const answered: number[] = [];
  let wake = (): void => undefined;
  async function* resources(): AsyncGenerator<string> {
    for (let n = 0; n < 3; n++) {
      // What is sent in one piece is bounded: this fills one.
      for (let filler = 0; filler < 400; filler++) yield arn(1);
      yield arn(0);
      while (answered.length <= n) {
        // A piece leaves with the next item only.
        yield arn(1);
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), new Promise(setImmediate)]);
      }
    }
  }
  for await (const index of authorizer.client.filterStream(QUESTION, resources())) {
    answered.push(index);
    wake();
  }
  expect(answered).toHaveLength(3);
});

it("ends the caller's resources when he leaves", async () => {
  let ended = false;
  async function* resources(): AsyncGenerator<string> {
    try {
      for (let n = 0; ; n++) yield arn(n);
    } finally {
      ended = true;
    }
  }
  for await (const index of authorizer.client.filterStream(QUESTION, resources())) if (index > 10) break;
  await expect.poll(() => ended).toBe(true);
});

it("fails for an item that cannot be read, and names it", async () => {
  const call = authorizer.client.filterStream(QUESTION, [arn(0), "x".repeat(5_000), arn(2)]);
  await expect(collect(call)).rejects.toMatchObject({
    name: "ClientError",
    status: 400,
    problems: [{ pointer: "/resources/1" }],
  });
});

it("fails where the question is wrong, with the caller's reason, and with what his resources throw", async () => {
  const wrong = authorizer.client.filterStream({ ...QUESTION, action: "x".repeat(5_000) }, [arn(0)]);
  await expect(collect(wrong)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  const ended = authorizer.client.filterStream(QUESTION, arns(10), {
    signal: AbortSignal.abort(new Error("left")),
  });
  await expect(collect(ended)).rejects.toThrow("left");
  // biome-ignore lint/correctness/useYield: it throws in place of its first item.
  async function* broken(): AsyncGenerator<string> {
    throw new Error("the database is gone");
  }
  await expect(collect(authorizer.client.filterStream(QUESTION, broken()))).rejects.toThrow(
    "the database is gone",
  );
});

it("takes an answer without its last line for none", async () => {
  const client = await serverThat((_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"index":0}\n');
  });
  const seen: number[] = [];
  const call = (async () => {
    for await (const index of client.filterStream(QUESTION, [arn(0)])) seen.push(index);
  })();
  await expect(call).rejects.toMatchObject({ code: "unreachable" });
  expect(seen).toEqual([0]);
});

it("gives up where nothing moves", async () => {
  const silent = await serverThat((_, response) => response.writeHead(200).flushHeaders());
  await expect(collect(silent.filterStream(QUESTION, [arn(0)]))).rejects.toMatchObject({
    name: "ClientError",
  });
  const deaf = await serverThat(() => undefined);
  await expect(collect(deaf.filterStream(QUESTION, [arn(0)]))).rejects.toMatchObject({ code: "timeout" });
});
