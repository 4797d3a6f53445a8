import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpointName, type Engine, entryName, NothingDone, partName } from "../../src/journal/engine.ts";
import { openCosmosdbEngine } from "../../src/journal/engines/cosmosdb.ts";
import { lookOneByOne } from "../../src/journal/look.ts";
import { findPlace } from "../../src/journal/place-in-log.ts";
import { openedOnce } from "../opened.ts";
import { openNode, sharedBy } from "./bed.ts";
import { cosmosdbOptions, startCosmosdb } from "./cosmosdb-server.ts";
import type { Interference } from "./http-proxy.ts";

describe("the engine on Cosmos DB", () => {
  const server = openedOnce(() => startCosmosdb());
  let engine: Engine | undefined;
  let databases = 0;
  let database: string;
  beforeEach(() => {
    database = `database${databases++}`;
  });
  afterEach(async () => {
    server.interfere = () => undefined;
    await engine?.close();
    engine = undefined;
  });

  const isAccount = ({ url }: IncomingMessage): boolean => url === "/";
  const isCreate = ({ method, url = "" }: IncomingMessage): boolean =>
    method === "POST" && url.endsWith("/docs");

  /** The account answers with other properties than the server's. */
  const account = (properties: object): void => {
    server.interfere = (request) =>
      isAccount(request) ? (body) => JSON.stringify({ ...JSON.parse(body), ...properties }) : undefined;
  };
  /** The first `count` requests that `chosen` picks are interfered with. */
  const first = (
    count: number,
    chosen: (request: IncomingMessage) => boolean,
    what: Interference,
  ): (() => number) => {
    let met = 0;
    server.interfere = (request) => (chosen(request) && met++ < count ? what : undefined);
    return () => met;
  };

  describe("asks of the account what the log needs", () => {
    for (const level of ["Strong", "BoundedStaleness"]) {
      it(`${level}: is used without a word`, async () => {
        account({ userConsistencyPolicy: { defaultConsistencyLevel: level } });
        const warnings: string[] = [];
        const warn = (message: string): number => warnings.push(message);
        engine = await openCosmosdbEngine(cosmosdbOptions(server, database, { warn }));
        expect(warnings).toEqual([]);
      });
    }

    it("Session: is used with a warning that names the levels that promise more", async () => {
      const warnings: string[] = [];
      const warn = (message: string): number => warnings.push(message);
      engine = await openCosmosdbEngine(cosmosdbOptions(server, database, { warn }));
      expect(warnings).toEqual([expect.stringMatching(/Session.*Strong or BoundedStaleness/)]);
    });

    for (const [level, before] of [
      ["Session", "POST"],
      ["Strong", "GET"],
    ] as const) {
      it(`${level}: a look, and a search for the own place, begin with ${before === "POST" ? "a write, so that what they read is not older" : "their first read"}`, async () => {
        account({ userConsistencyPolicy: { defaultConsistencyLevel: level } });
        engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
        const asked: string[] = [];
        server.interfere = ({ method = "" }) => {
          asked.push(method);
          return undefined;
        };
        expect(await lookOneByOne(engine, 0)).toEqual({ hasNext: false, own: undefined, floor: 0 });
        expect(asked[0]).toBe(before);
        expect(asked.filter((method) => method === "GET")).toHaveLength(2);
        asked.length = 0;
        await expect(findPlace(engine, { revision: 1, lastId: "one", log: "one" })).rejects.toThrow();
        expect(asked[0]).toBe(before);
      });
    }

    it.each([
      ["Session", ['["list.checkpoint"]']],
      ["Strong", []],
    ])("%s: the newest checkpoint is looked for after writes to %j", async (level, written) => {
      account({ userConsistencyPolicy: { defaultConsistencyLevel: level } });
      engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
      await engine.create(checkpointName(3), Buffer.from("a checkpoint"));
      const writes: unknown[] = [];
      let isAsked = false;
      server.interfere = ({ headers }) => {
        if (headers["x-ms-documentdb-is-upsert"] === "true")
          writes.push(isAsked || headers["x-ms-documentdb-partitionkey"]);
        else isAsked = true;
        return undefined;
      };
      expect(await engine.newest("checkpoint", Number.MAX_SAFE_INTEGER)).toEqual(checkpointName(3));
      expect(writes).toEqual(written);
      expect(await engine.list("checkpoint", Number.MAX_SAFE_INTEGER, 10)).toEqual([checkpointName(3)]);
    });

    for (const level of ["ConsistentPrefix", "Eventual"]) {
      it(`${level}: is refused`, async () => {
        account({ userConsistencyPolicy: { defaultConsistencyLevel: level } });
        await expect(openCosmosdbEngine(cosmosdbOptions(server, database))).rejects.toMatchObject({
          code: "invalid_request",
          message: expect.stringContaining(level),
        });
      });
    }

    it("several write regions: are refused", async () => {
      account({ enableMultipleWriteLocations: true });
      await expect(openCosmosdbEngine(cosmosdbOptions(server, database))).rejects.toThrow(
        /multi-region writes off/,
      );
    });
  });

  describe("makes the container", () => {
    const headersOfContainer = async (more: object): Promise<IncomingMessage["headers"]> => {
      let headers: IncomingMessage["headers"] = {};
      server.interfere = (request) => {
        if (request.method === "POST" && request.url?.endsWith("/colls") === true) headers = request.headers;
        return undefined;
      };
      engine = await openCosmosdbEngine(cosmosdbOptions(server, database, more));
      return headers;
    };

    it("with the throughput of the configuration", async () => {
      const headers = await headersOfContainer({ throughput: 800 });
      expect(headers["x-ms-offer-throughput"]).toBe("800");
    });

    it("that scales up to it", async () => {
      const headers = await headersOfContainer({ throughput: 4_000, autoscale: true });
      expect(headers["x-ms-offer-throughput"]).toBeUndefined();
      expect(JSON.stringify(headers)).toContain("4000");
    });

    it("once, where several nodes start at the same time: each of them runs", async () => {
      const starting = Array.from({ length: 6 }, () => openCosmosdbEngine(cosmosdbOptions(server, database)));
      const started = await Promise.allSettled(starting);
      for (const one of started) if (one.status === "fulfilled") await one.value.close();
      expect(started.map(({ status }) => status)).toEqual(started.map(() => "fulfilled"));
    });

    it("or says how to have it made where the login may not", async () => {
      server.interfere = ({ method, url }) =>
        method === "POST" && url === "/dbs" ? { status: 403 } : undefined;
      await expect(openCosmosdbEngine(cosmosdbOptions(server, database))).rejects.toThrow(
        `az cosmosdb sql container create --account-name … --resource-group … --database-name ${database} --name kvstore-authorizer --partition-key-path /pk`,
      );
    });
  });

  it("waits as long as a 429 says, and creates once", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
    const busy = { status: 429, headers: { "x-ms-retry-after-ms": "10" } };
    const met = first(12, isCreate, busy);
    expect(await engine.create(entryName(1), Buffer.from("x"))).toBe(true);
    expect(met()).toBe(13);
    expect(await engine.create(entryName(1), Buffer.from("y"))).toBe(false);
  });

  it("takes no 429 for an outcome, however long it lasts", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database, { requestTimeoutMs: 1_000 }));
    first(Number.POSITIVE_INFINITY, isCreate, { status: 429, headers: { "x-ms-retry-after-ms": "200" } });
    const failure = engine.create(entryName(1), Buffer.from("x")).catch((error: unknown) => error);
    expect(await failure).toBeInstanceOf(Error);
    expect(await failure).not.toBeInstanceOf(NothingDone);
  });

  it("commits once when the answer to a create is lost", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database, { requestTimeoutMs: 1_000 }));
    const node = await openNode(sharedBy(engine));
    const met = first(1, isCreate, "lose the answer");
    const put = [{ partition: "things", key: "a", value: "1" }];
    expect(await node.commit({ put })).toBe(1);
    expect(met()).toBeGreaterThan(0);
    expect(node.revision).toBe(1);
    expect(await engine.read(entryName(2))).toBeUndefined();
    await node.close();
  });

  it("reads again what it was refused to create and does not see yet", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
    const other = await openCosmosdbEngine(cosmosdbOptions(server, database));
    await other.create(entryName(1), Buffer.from("theirs"));
    expect(await engine.create(entryName(1), Buffer.from("mine"))).toBe(false);
    const isRead = ({ method, url = "" }: IncomingMessage): boolean =>
      method === "GET" && url.includes("0000000000000001");
    const met = first(3, isRead, { status: 404 });
    expect(String(await engine.read(entryName(1)))).toBe("theirs");
    expect(met()).toBe(4);
    await other.close();
  });

  it("does not take an absent container for an empty log", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
    const isRead = ({ method }: IncomingMessage): boolean => method === "GET";
    first(1, isRead, { status: 404, headers: { "x-ms-substatus": "1003" } });
    await expect(engine.read(entryName(1))).rejects.toThrow(/container is gone/);
  });

  it("has items below the limits of the database, names included", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database));
    const lengths: number[] = [];
    server.interfere = (request) => {
      if (isCreate(request)) lengths.push(Number(request.headers["content-length"]));
      return undefined;
    };
    await engine.create(entryName(2 ** 50), Buffer.alloc(engine.budgets.entry));
    await engine.create(partName(2 ** 50, "a".repeat(22), 1), Buffer.alloc(engine.budgets.part));
    expect(lengths[0]).toBeLessThanOrEqual(256 * 1024);
    expect(lengths[0]).toBeGreaterThan(250 * 1024);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1.5 * 1024 * 1024);
    expect(Math.max(...lengths)).toBeGreaterThan(1.49 * 1024 * 1024);
  });

  it("trims the log early, with a warning, when the partition of the log gets full", async () => {
    engine = await openCosmosdbEngine(cosmosdbOptions(server, database), 10_000);
    const said: string[] = [];
    const log = { info: () => {}, error: (_: object, message: string) => void said.push(message) };
    const node = await openNode(sharedBy(engine), { keepMs: 3_600_000 }, { log });
    const put = (key: string) =>
      node.commit({ put: [{ partition: "things", key, value: "x".repeat(4_000) }] });
    await put("a");
    await node.checkpoint();
    expect(await engine.floor()).toBe(0);
    for (const key of ["b", "c"]) await put(key);
    await node.checkpoint();
    expect(await engine.floor()).toBe(3);
    expect(said).toEqual([expect.stringContaining("authorizer.history.keep")]);
    await node.close();
  });

  it("says what to do when the key is wrong", async () => {
    server.interfere = () => ({
      status: 401,
      body: JSON.stringify({ code: "Unauthorized", message: "MAC" }),
    });
    await expect(openCosmosdbEngine(cosmosdbOptions(server, database))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("check database.cosmosdb.key"),
    });
  });

  it("says what to do when nothing answers", async () => {
    const options = cosmosdbOptions(server, database, { endpoint: "http://127.0.0.1:1/" });
    await expect(openCosmosdbEngine(options)).rejects.toThrow(
      /nothing answers at database.cosmosdb.endpoint/,
    );
  });
});
