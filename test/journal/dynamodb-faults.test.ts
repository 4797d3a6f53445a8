import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import dynalite from "dynalite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Engine, entryName, NothingDone } from "../../src/journal/engine.ts";
import { openDynamodbEngine } from "../../src/journal/engines/dynamodb.ts";
import type { DynamodbOptions } from "../../src/journal/engines/dynamodb-table.ts";
import { type HttpProxy, type Interference, listening, startHttpProxy } from "./http-proxy.ts";

describe("DynamoDB in trouble", () => {
  let server: ReturnType<typeof dynalite>;
  let proxy: HttpProxy;
  let warnings: string[];
  let engine: Engine | undefined;
  let tables = 0;
  beforeAll(async () => {
    server = dynalite({ createTableMs: 0 });
    proxy = await startHttpProxy(await listening(server));
  });
  afterAll(async () => {
    await proxy.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  beforeEach(() => {
    warnings = [];
    tables += 1;
  });
  afterEach(async () => {
    proxy.interfere = () => undefined;
    await engine?.close();
    engine = undefined;
  });

  const open = async (more: Partial<DynamodbOptions> = {}): Promise<Engine> => {
    engine = await openDynamodbEngine({
      tableName: `table${tables}`,
      scanLimit: 100,
      endpoint: proxy.endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "key", secretAccessKey: "secret-of-tests" },
      maxAttempts: 1,
      maxConnections: 10,
      requestTimeoutMs: 1_000,
      healthCheckMs: 0,
      warn: (message) => void warnings.push(message),
      ...more,
    });
    return engine;
  };
  const calls = (operation: string) => (request: IncomingMessage) =>
    String(request.headers["x-amz-target"]).endsWith(`.${operation}`);
  /** The service's way to refuse. */
  const refusal = (type: string, message: string): Interference => ({
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }),
  });
  const on = (operation: string, what: Interference): void => {
    proxy.interfere = (request) => (calls(operation)(request) ? what : undefined);
  };

  it("a wrong key: names the items, and not the key", async () => {
    on("DescribeTable", refusal("UnrecognizedClientException", "The security token is invalid."));
    const refused = open();
    await expect(refused).rejects.toThrow(/check database.dynamodb.cloud_access_key_id/);
    await expect(refused).rejects.not.toThrow(/secret-of-tests/);
  });

  it("a clock that is off: says so", async () => {
    on("DescribeTable", refusal("InvalidSignatureException", "Signature expired: 20261122T070000Z is now"));
    await expect(open()).rejects.toThrow(/clock of this machine.*NTP/);
  });

  it("missing rights to make the table: lists what is needed", async () => {
    on("CreateTable", refusal("AccessDeniedException", "User: arn:aws:iam::1:user/x is not authorized"));
    await expect(open()).rejects.toThrow(/GetItem, PutItem, UpdateItem, DeleteItem, Query/);
  });

  it("a missing right to look whether it is a global table: warns", async () => {
    await open();
    await engine?.close();
    on("DescribeTable", refusal("AccessDeniedException", "User: arn:aws:iam::1:user/x is not authorized"));
    await open();
    expect(warnings).toEqual([expect.stringContaining("dynamodb:DescribeTable is missing")]);
  });

  it("a global table with eventual consistency: is refused; with strong consistency it is not", async () => {
    await open();
    await engine?.close();
    const replicas = (consistency: string) => (body: string) => {
      const { Table } = JSON.parse(body) as { Table: object };
      const global = { Replicas: [{ RegionName: "eu-1" }], MultiRegionConsistency: consistency };
      return JSON.stringify({ Table: { ...Table, ...global } });
    };
    on("DescribeTable", replicas("EVENTUAL"));
    await expect(open()).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("use a table of one region"),
    });
    on("DescribeTable", replicas("STRONG"));
    await open();
  });

  it("nobody at the endpoint: names the item", async () => {
    await expect(open({ endpoint: "http://127.0.0.1:1" })).rejects.toThrow(
      /nothing answers at database.dynamodb.endpoint/,
    );
  });

  it("a refusal is no outcome that is open, but a lost answer is", async () => {
    await open();
    on("PutItem", refusal("AccessDeniedException", "no"));
    await expect(engine!.create(entryName(1), Buffer.from("x"))).rejects.toBeInstanceOf(NothingDone);
    on("PutItem", "lose the answer");
    await expect(engine!.create(entryName(1), Buffer.from("x"))).rejects.not.toBeInstanceOf(NothingDone);
    proxy.interfere = () => undefined;
    expect(String(await engine!.read(entryName(1)))).toBe("x");
  });

  it("calls that hang end in time, whatever the number of attempts", async () => {
    const hanging = await open({ requestTimeoutMs: 300, maxAttempts: 10 });
    const name = entryName(1);
    await hanging.create(name, Buffer.from("x"));
    proxy.interfere = () => "hang";
    await expect(hanging.entries(0, 10)).rejects.toThrow(/abort|timeout/i);
    await expect(hanging.floor()).rejects.toThrow(/abort|timeout/i);
    const error = await hanging.create(entryName(2), Buffer.from("y")).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(NothingDone);
    proxy.interfere = () => undefined;
    expect(await hanging.read(name)).toEqual(Buffer.from("x"));
  });

  it("no region: names the item", async () => {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    delete process.env["AWS_REGION"];
    delete process.env["AWS_DEFAULT_REGION"];
    try {
      await expect(open({ region: undefined as unknown as string })).rejects.toThrow(
        /set database.dynamodb.cloud_region/,
      );
    } finally {
      if (AWS_REGION !== undefined) process.env["AWS_REGION"] = AWS_REGION;
      if (AWS_DEFAULT_REGION !== undefined) process.env["AWS_DEFAULT_REGION"] = AWS_DEFAULT_REGION;
    }
  });

  it("health checks warn as long as the table cannot be used", async () => {
    await open({ healthCheckMs: 20 });
    on("DescribeTable", refusal("ResourceNotFoundException", "Cannot do operations on a non-existent table"));
    await expect.poll(() => warnings.length).toBeGreaterThan(1);
    expect(warnings[0]).toContain(`the DynamoDB table table${tables}-authorizer cannot be used`);
  });

  it("health checks that are months apart are not made at once", async () => {
    await open({ healthCheckMs: 2_592_000_000 });
    on("DescribeTable", refusal("ResourceNotFoundException", "Cannot do operations on a non-existent table"));
    await delay(100);
    expect(warnings).toEqual([]);
  });
});
