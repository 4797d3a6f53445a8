/**
 * A real data server with one user, behind nginx as deploy/exchange configures it: its own tool and S3 clients work with
 * keys that it does not know, and a user with rights to one repository gets nothing else by the one key.
 */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import {
  CopyObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onlineFindings } from "../../../src/compose/online-findings.ts";
import { configFromObject } from "../../../src/config/load.ts";
import { numbers } from "../../exchange/random-numbers.ts";
import { ACCESS_KEYS, basicOf, SECRET as USER_SECRET } from "../../exchange/start-exchange.ts";
import { damage } from "../../exchange/streaming/damage.ts";
import { send, uploadOf } from "../../exchange/streaming/uploads.ts";
import { missing } from "../../gateways/proxy-program.ts";
import { sized } from "../size.ts";
import { type BehindOneKey, startBehindOneKey } from "./behind-one-key.ts";
import { givenDataServer } from "./given-data-server.ts";
import { KEY, type RunningDataServer, SECRET } from "./running-data-server.ts";

const run = promisify(execFile);
const given = givenDataServer();

describe.skipIf(given === undefined || missing("nginx") !== undefined)("a data server with one user", () => {
  const programs = given as NonNullable<typeof given>;
  let servers: BehindOneKey;
  let dataServer: RunningDataServer;
  let api: BehindOneKey["api"];
  let upload: BehindOneKey["upload"];
  let client: BehindOneKey["client"];
  let url: string;
  beforeAll(async () => {
    servers = await startBehindOneKey(programs);
    ({ dataServer, api, upload, client, url } = servers);
  });
  afterAll(() => servers?.close());

  it("serves its own tool with a user's key", async () => {
    const env = {
      PATH: process.env["PATH"],
      HOME: dataServer.folder,
      LAKECTL_SERVER_ENDPOINT_URL: url,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: ACCESS_KEYS.get("writer"),
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: USER_SECRET,
      LAKECTL_SKIP_ENTERPRISE_CHECK: "true",
    };
    expect((await upload("writer", "data", "a.txt", "content")).status).toBe(201);
    await run(programs.tool, ["commit", "lakefs://data/main", "-m", "by the writer"], { env });
    const { stdout } = await run(programs.tool, ["log", "lakefs://data/main"], { env });
    expect(stdout).toContain("by the writer");
    const { stdout: read } = await run(programs.tool, ["fs", "cat", "lakefs://data/main/a.txt"], { env });
    expect(read).toBe("content");
    await expect(
      run(programs.tool, ["fs", "cat", "lakefs://other/main/secret.txt"], { env }),
    ).rejects.toThrow();
  });

  it("serves S3 clients with a user's key, odd names and presigned URLs too", async () => {
    const s3 = client("writer");
    const at = { Bucket: "data", Key: "main/odd/a b+ä(1).txt" };
    await s3.send(new PutObjectCommand({ ...at, Body: "by S3", Metadata: { a: "b" } }));
    const read = await s3.send(new GetObjectCommand(at));
    expect(await read.Body?.transformToString()).toBe("by S3");
    await s3.send(new CopyObjectCommand({ Bucket: "data", Key: "main/copy", CopySource: "data/main/a.txt" }));
    const list = await s3.send(new ListObjectsV2Command({ Bucket: "data", Prefix: "main/odd/" }));
    expect(list.Contents?.map(({ Key }) => Key)).toEqual([at.Key]);
    const url = await getSignedUrl(s3, new GetObjectCommand(at), { expiresIn: 600 });
    expect(await (await fetch(url)).text()).toBe("by S3");
    const foreign = { Bucket: "other", Key: "main/secret.txt" };
    await expect(s3.send(new GetObjectCommand(foreign))).rejects.toThrow();
    const copy = new CopyObjectCommand({
      Bucket: "data",
      Key: "main/x",
      CopySource: "other/main/secret.txt",
    });
    await expect(s3.send(copy)).rejects.toThrow();
  });

  it("lists buckets and repositories that a user may see", async () => {
    const listed = await api("writer", "GET", "/repositories");
    const { results } = (await listed.json()) as { results: { id: string }[] };
    expect(results.map(({ id }) => id)).toEqual(["data"]);
    const { Buckets = [] } = await client("writer").send(new ListBucketsCommand());
    expect(Buckets.map(({ Name }) => Name)).toEqual(["data"]);
    const all = await client("administrator").send(new ListBucketsCommand());
    expect(all.Buckets?.map(({ Name }) => Name)).toEqual(["data", "other"]);
  });

  it("stores uploads that are signed in chunks, and nothing of damaged ones", async () => {
    const untold = { "x-svc-proxy-token": undefined };
    const content = randomBytes(500_000);
    for (const trailer of [undefined, "x-amz-checksum-crc32c"]) {
      const sound = uploadOf("writer", content, { uri: "/data/main/chunks/sound", trailer });
      expect((await send(url, sound, untold)).status).toBe(200);
      const at = { Bucket: "data", Key: "main/chunks/sound" };
      const read = await client("writer").send(new GetObjectCommand(at));
      expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(content)).toBe(true);
    }
    const next = numbers(7);
    for (let count = 0; count < sized(40, 1_000); count++) {
      const uri = `/data/main/chunks/damaged-${count}`;
      const trailer = count % 2 === 0 ? undefined : "x-amz-checksum-crc32";
      const { kind, upload: damaged } = damage(
        uploadOf("writer", content.subarray(0, 40_000), { uri, trailer }),
        next,
      );
      expect([400, 403], kind).toContain((await send(url, damaged, untold)).status);
    }
    const list = new ListObjectsV2Command({ Bucket: "data", Prefix: "main/chunks/" });
    const { Contents = [] } = await client("administrator").send(list);
    expect(Contents.map(({ Key }) => Key)).toEqual(["main/chunks/sound"]);
  });

  it("records who committed and merged, whatever the client says", async () => {
    await upload("writer", "data", "named.txt", "content");
    const forged = { message: "named", metadata: { "svc.user": "administrator", kept: "yes" } };
    const made = await api("writer", "POST", "/repositories/data/branches/main/commits", forged);
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      committer: "admin",
      metadata: { "svc.user": "writer", kept: "yes" },
    });
    const branch = { name: "dev", source: "main" };
    expect((await api("writer", "POST", "/repositories/data/branches", branch)).status).toBe(201);
    const path = "/repositories/data/branches/dev/objects?path=b.txt";
    await api("writer", "POST", path, "of dev");
    await api("writer", "POST", "/repositories/data/branches/dev/commits", { message: "on dev" });
    const merged = await api("writer", "POST", "/repositories/data/refs/dev/merge/main", {});
    expect(merged.status).toBe(200);
    const log = await api("writer", "GET", "/repositories/data/refs/main/commits?amount=1");
    const { results } = (await log.json()) as { results: { metadata: Record<string, string> }[] };
    expect(results[0]?.metadata["svc.user"]).toBe("writer");
  });

  it("is asked by config validate --online for its key, its S3 gateway and its hooks", async () => {
    const config = {
      "authorizer.exchange.access_key_id": KEY,
      "authorizer.exchange.secret_access_key": SECRET,
      "authorizer.exchange.streaming_address": "127.0.0.1:8004",
      "authorizer.exchange.upstream": dataServer.url,
      "gateways.s3.domain_name": "s3.example.com",
    };
    const found = () => onlineFindings(configFromObject(config, {}, { requirements: "none" }));
    expect(await found()).toMatchObject({
      problems: [],
      warnings: [{ message: expect.stringContaining("no hooks") }],
    });
    const hook =
      "name: a\non:\n  pre-commit:\n    branches: [never]\nhooks:\n  - id: a\n    type: webhook\n    properties: {url: 'http://x'}\n";
    expect((await upload("administrator", "other", "_lakefs_actions/a.yaml", hook)).status).toBe(201);
    expect((await found()).warnings[0]?.message).toContain("repository other has hooks");
  });

  it("does not know a user's key itself, and the one key passes no proxy", async () => {
    const direct = await fetch(`${dataServer.url}/api/v1/repositories`, {
      headers: { authorization: basicOf("writer") },
    });
    expect(direct.status).toBe(401);
    const one = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;
    const through = await fetch(`${url}/api/v1/repositories`, {
      headers: { authorization: one },
    });
    expect(through.status).toBe(401);
  });
});
